//go:build linux

package main

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
)

func TestStreamsThatNobodyGetsAreWarnedOf(t *testing.T) {
	t.Parallel()
	r := newRouterLab(t, versions...)
	_, err := r.lab.Node().Run(t.Context(), "ip", "link", "set", "dev", "lo", "up")
	require.NoError(t, err)
	sent := make(chan error, 2)
	for id, s := range []ovslab.Stream{
		{To: group, Packets: 5000, Rate: 500, TTL: 1}, // no router forwards it
		{To: other, Packets: 5000, Rate: 500},         // nobody is a member
	} {
		s.ID = uint32(id)
		go func() { sent <- r.lab.Host("outside").Send(t.Context(), s) }()
	}
	defer func() { <-sent; <-sent }()
	r.spawnAgent(append(routing, "-http", ":9500")...)
	self, err := os.Executable()
	require.NoError(t, err)
	var seen string
	eventually(t, func() bool {
		cmd := r.lab.Node().Command(t.Context(), self, "status") // where :9500 is the agent's
		cmd.Env = append(os.Environ(), actAsAgent+"=1")
		out, err := cmd.Output()
		seen = string(out)
		return err == nil && strings.Contains(seen, "! ttl: ttl up0 from") &&
			strings.Contains(seen, "packets/s to "+other.String()+" by up0, where nobody is a member")
	}, 20*time.Second, 500*time.Millisecond, &seen)
	require.Contains(t, seen, "KERNEL ROUTES")
}
