//go:build linux

package main

import (
	"context"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
)

// smcroute's configuration of what the hosts of the test want.
const smcrouteConf = `
phyint out0 enable
phyint in1 enable
phyint in2 enable
mroute from out0 group 239.1.1.1 to in1 in2
mroute from out0 group 232.1.1.1 source 198.51.100.7 to in1
mroute from in2 group 239.1.1.1 to in1 out0
mroute from in1 group 239.1.1.2 to out0
`

// What the kernel is told is a matter of the layout, not of who tells it: smcroute, by its configuration, and this
// program, by what the hosts say, make the same routes.
func TestSmcrouteMakesTheSameRoutes(t *testing.T) {
	smcrouted, err := exec.LookPath("smcrouted")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("no smcroute, which scripts/deps.sh installs")
		}
		t.Skip("needs smcroute")
	}
	l := newLab(t)
	theirs := l.routesOf(func() func() { return l.smcroute(smcrouted) })
	ours := l.routesOf(func() func() {
		p := l.route()
		l.join(p, "v2", group)
		l.join(p, "other", group)
		l.join(p, "v3", single, l.Host("far").Addr())
		return func() { p.Stop(syscall.SIGTERM) }
	})
	require.Equal(t, theirs, ours)
	require.Len(t, ours, 6)
}

// smcroute runs the daemon on the router until what it returns is called.
func (l *lab) smcroute(path string) (stop func()) {
	l.t.Helper()
	at := func(name string) string { return filepath.Join(l.Dir(), name) }
	require.NoError(l.t, os.WriteFile(at("smc.conf"), []byte(smcrouteConf), 0o600))
	ctx, cancel := context.WithCancel(context.Background())
	l.t.Cleanup(cancel)
	cmd := l.Node().Command(ctx, path, "-n", "-N", "-f", at("smc.conf"), "-P", at("smc.pid"), "-u", at("smc.sock"))
	var said strings.Builder
	cmd.Stderr = &said
	require.NoError(l.t, cmd.Start())
	l.eventually(func() bool {
		_, err := os.Stat(at("smc.pid"))
		return err == nil // it is written when all is set up
	}, "smcroute begins")
	return func() {
		require.NoError(l.t, cmd.Process.Signal(syscall.SIGTERM))
		require.NoError(l.t, cmd.Wait(), &said)
	}
}

// routesOf has somebody route, and returns what the kernel has when streams flow that are wanted and that are not.
func (l *lab) routesOf(begin func() (stop func())) []string {
	l.t.Helper()
	defer begin()()
	for _, s := range []struct{ host, group string }{
		{"far", "239.1.1.1"}, {"far", "232.1.1.1"}, {"other", "239.1.1.1"}, {"v3", "239.1.1.2"}, {"far2", "232.1.1.1"}, {"far", "239.9.9.9"},
	} {
		require.NoError(l.t, l.Host(s.host).Send(l.t.Context(), ovslab.Stream{To: netip.MustParseAddr(s.group), Packets: 3, Rate: 100}))
	}
	var lines []string
	l.eventually(func() bool {
		out, err := l.Node().Run(l.t.Context(), "ip", "mroute", "show")
		require.NoError(l.t, err)
		lines = lines[:0]
		for line := range strings.Lines(out) {
			lines = append(lines, plain(line))
		}
		return len(lines) == 6 && !strings.Contains(out, "unresolved")
	}, "the routes of all streams")
	slices.Sort(lines)
	return lines
}

// plain is a line of ip mroute without its order of interfaces, which is that of the VIF numbers.
func plain(line string) string {
	before, after, ok := strings.Cut(strings.Join(strings.Fields(line), " "), "Oifs: ")
	if !ok {
		return before
	}
	out, rest, _ := strings.Cut(after, " State")
	names := strings.Fields(out)
	slices.Sort(names)
	return before + "Oifs: " + strings.Join(names, " ") + " State" + rest
}
