package querier_test

import (
	"context"
	"net"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/igmp/querier"
	"github.com/ofmcast/ofmcast/internal/ovslab"
)

// macOf is the address of a host's interface.
func macOf(t *testing.T, host *ovslab.Host) igmp.MAC {
	mac, err := net.ParseMAC(host.MAC())
	require.NoError(t, err)
	return igmp.MAC(mac)
}

// driven is a Querier that runs on a host until the test ends or stop is called.
type driven struct {
	state func() querier.State
	stop  func()
}

// drive runs a Querier with an address on the host "us".
func drive(t *testing.T, lab *ovslab.NetLab, cfg querier.Config) driven {
	host := lab.Host("us")
	cfg.MAC = macOf(t, host)
	q, err := querier.New(cfg)
	require.NoError(t, err)
	heard, err := host.Capture(func(f ovslab.Frame) bool { return !f.Sent && isGeneral(f) })
	require.NoError(t, err)
	states := make(chan querier.State)
	end, ended := make(chan struct{}), make(chan struct{})
	stop := sync.OnceFunc(func() { close(end); <-ended })
	t.Cleanup(stop)
	go func() {
		defer close(ended)
		serve(q, host, heard, states, end)
	}()
	return driven{state: func() querier.State { return <-states }, stop: stop}
}

// serve is the loop that a driver of a Querier has.
func serve(q *querier.Querier, host *ovslab.Host, heard *ovslab.Capture, states chan<- querier.State, end <-chan struct{}) {
	handled := 0
	for {
		for _, f := range heard.Frames()[handled:] {
			handled++
			var d igmp.Decoder
			v, _ := d.Frame(f.Data)
			q.HandleQuery(querier.Heard{
				Src: v.Src, Version: v.Version, Group: v.Group, MaxResp: v.MaxResp, QRV: v.QRV, QQI: v.QQI, At: f.At,
			})
		}
		_ = host.Inject(q.Advance(time.Now())...) // a host that is gone hears nothing, and the test ends anyway
		select {
		case <-end:
			return
		case states <- q.State():
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func isGeneral(f ovslab.Frame) bool {
	var d igmp.Decoder
	v, err := d.Frame(f.Data)
	return err == nil && v.Type == igmp.TypeQuery && v.Group.IsUnspecified()
}

func generalFrom(src netip.Addr) func(ovslab.Frame) bool {
	return func(f ovslab.Frame) bool {
		var d igmp.Decoder
		v, err := d.Frame(f.Data)
		return err == nil && isGeneral(f) && v.Src == src
	}
}

func atLeast(n int) func([]ovslab.Frame) bool {
	return func(frames []ovslab.Frame) bool { return len(frames) >= n }
}

func within(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

// await waits until it is so, on the test's own goroutine.
func await(t *testing.T, limit time.Duration, what string, so func() bool) {
	t.Helper()
	for ctx := within(t, limit); !so(); {
		select {
		case <-ctx.Done():
			require.Fail(t, "not within "+limit.String(), what)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// ip runs commands of iproute2's ip in a namespace.
func ip(t *testing.T, in interface {
	Run(ctx context.Context, name string, args ...string) (string, error)
}, commands ...[]string) {
	t.Helper()
	for _, args := range commands {
		_, err := in.Run(t.Context(), "ip", args...)
		require.NoError(t, err)
	}
}
