//go:build linux

package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A link that goes down and up again and again has hosts asked at its first returns, and then at the
// pace at which they answer.
func TestALinkThatFlapsDoesNotHaveEverybodyAskedEachTime(t *testing.T) {
	t.Parallel()
	r := newRig(t, []string{"-query-interval", "125s", "-query-response", "10s"}, versions...)
	heard, err := r.lab.Host("v3").Capture(isGeneralQuery)
	require.NoError(t, err)
	for range 15 {
		for _, state := range []string{"down", "up"} {
			_, err := r.lab.Host("idle").Run(t.Context(), "ip", "link", "set", "dev", "eth0", state)
			require.NoError(t, err)
			time.Sleep(settled)
		}
	}
	_, err = heard.Await(within(t, 5*time.Second), atLeast(1))
	require.NoError(t, err, "it is asked")
	time.Sleep(settled)
	require.LessOrEqual(t, len(heard.Frames()), 5)
}
