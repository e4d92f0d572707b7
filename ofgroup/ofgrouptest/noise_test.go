package ofgrouptest_test

import (
	"context"
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup/ofgrouptest"
)

// through sends two messages through a Noise, to the switch or from it, and returns what
// arrives until the connection ends, which it does by itself if they did not end it.
func through(t *testing.T, n *ofgrouptest.Noise, toSwitch bool) []byte {
	t.Helper()
	far, to := net.Pipe()
	from, err := n.Dial(func(context.Context) (net.Conn, error) { return far, nil })(t.Context())
	require.NoError(t, err)
	if !toSwitch {
		from, to = to, from
	}
	go func() {
		for range 2 {
			_, _ = from.Write([]byte{6, 2, 0, 12, 0, 0, 0, 1, 0xde, 0xad, 0xbe, 0xef})
		}
		_ = from.Close()
	}()
	got, err := io.ReadAll(to)
	require.NoError(t, err)
	n.Wait()
	return got
}

func TestNoiseSpoilsMessagesAsToldAndNoOthers(t *testing.T) {
	for name, test := range map[string]struct {
		cfg   ofgrouptest.NoiseConfig
		bytes func(n int) bool
	}{
		"nothing":    {ofgrouptest.NoiseConfig{}, func(n int) bool { return n == 24 }},
		"cut":        {ofgrouptest.NoiseConfig{Cut: 1}, func(n int) bool { return n == 0 }},
		"truncated":  {ofgrouptest.NoiseConfig{Truncate: 1}, func(n int) bool { return n > 0 && n < 12 }},
		"twice":      {ofgrouptest.NoiseConfig{Twice: 1}, func(n int) bool { return n == 48 }},
		"delayed":    {ofgrouptest.NoiseConfig{Delay: 1, MaxDelay: time.Millisecond}, func(n int) bool { return n == 24 }},
		"everything": {ofgrouptest.NoiseConfig{Cut: 1, Truncate: 1, Twice: 1, Delay: 1}, func(n int) bool { return n == 0 }},
	} {
		n := ofgrouptest.NewNoise(test.cfg)
		got := through(t, n, false)
		require.True(t, test.bytes(len(got)), "%s: %d bytes", name, len(got))
		require.Equal(t, name != "nothing", n.Struck() > 0, name)
	}
}

func TestNoiseDoublesNoRequests(t *testing.T) {
	n := ofgrouptest.NewNoise(ofgrouptest.NoiseConfig{Twice: 1})
	require.Len(t, through(t, n, true), 24)
}

func TestNoiseCanBeEnded(t *testing.T) {
	n := ofgrouptest.NewNoise(ofgrouptest.NoiseConfig{Cut: 1})
	n.Quiet()
	require.Len(t, through(t, n, true), 24)
	require.Zero(t, n.Struck())
}
