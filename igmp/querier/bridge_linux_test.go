package querier_test

import (
	"context"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/igmp/querier"
	"github.com/ofmcast/ofmcast/internal/ovslab"
)

// A Linux bridge that queries with the address 192.0.2.50 every second, and us on the same link.
var (
	bridgeAddr = netip.MustParseAddr("192.0.2.50")
	lowerAddr  = netip.MustParseAddr("192.0.2.9")
	higherAddr = netip.MustParseAddr("192.0.2.99")
)

func TestALinuxBridgesQuerierYieldsToALowerAddress(t *testing.T) {
	lab := startBridgeQuerier(t)
	us := drive(t, lab, lowerAddr)
	theirs, err := lab.Host("us").Capture(generalFrom(bridgeAddr))
	require.NoError(t, err)
	ours, err := lab.Host("bridge").Capture(generalFrom(lowerAddr))
	require.NoError(t, err)
	_, err = ours.Await(within(t, 10*time.Second), atLeast(2))
	require.NoError(t, err)

	before := len(theirs.Frames())
	_, err = ours.Await(within(t, 10*time.Second), atLeast(6))
	require.NoError(t, err)
	require.Equal(t, before, len(theirs.Frames()), "four intervals in which the bridge asks nobody")
	state := us()
	require.True(t, state.Querier)
	require.Equal(t, lowerAddr, state.Elected)
}

func TestWeYieldToALinuxBridgeWithALowerAddress(t *testing.T) {
	lab := startBridgeQuerier(t)
	theirs, err := lab.Host("us").Capture(generalFrom(bridgeAddr))
	require.NoError(t, err)
	_, err = theirs.Await(within(t, 10*time.Second), atLeast(1))
	require.NoError(t, err)
	us := drive(t, lab, higherAddr)
	_, err = theirs.Await(within(t, 10*time.Second), atLeast(3))
	require.NoError(t, err)
	require.Eventually(t, func() bool { return us().Elected == bridgeAddr }, 5*time.Second, 20*time.Millisecond)
	require.False(t, us().Querier)

	ours, err := lab.Host("bridge").Capture(generalFrom(higherAddr))
	require.NoError(t, err)
	_, err = theirs.Await(within(t, 10*time.Second), atLeast(7))
	require.NoError(t, err)
	require.Empty(t, ours.Frames(), "four intervals in which we ask nobody")

	// The bridge goes away, and we take over when it has been silent for long enough.
	_, err = lab.Host("bridge").Run(t.Context(), "ip", "link", "set", "dev", "br1", "down")
	require.NoError(t, err)
	require.Eventually(t, func() bool { return us().Querier }, 10*time.Second, 20*time.Millisecond)
}

func startBridgeQuerier(t *testing.T) *ovslab.NetLab {
	lab := ovslab.NewNet(t, ovslab.NetConfig{FailMode: "standalone", Hosts: []ovslab.HostConfig{
		{Name: "bridge", Addr: netip.PrefixFrom(bridgeAddr, 24)}, {Name: "us"},
	}})
	for _, args := range [][]string{
		{"link", "add", "br1", "type", "bridge", "stp_state", "0", "forward_delay", "0",
			"mcast_snooping", "1", "mcast_querier", "1", "mcast_igmp_version", "3", "mcast_query_use_ifaddr", "1",
			"mcast_query_interval", "100", "mcast_query_response_interval", "50", "mcast_startup_query_interval", "25"},
		{"addr", "flush", "dev", "eth0"},
		{"addr", "add", bridgeAddr.String() + "/24", "dev", "br1"},
		{"link", "set", "dev", "eth0", "master", "br1"},
		{"link", "set", "dev", "br1", "up"},
	} {
		_, err := lab.Host("bridge").Run(t.Context(), "ip", args...)
		require.NoError(t, err)
	}
	return lab
}

// drive runs a Querier with an address on the host "us" until the test ends, and returns a function
// that says its state.
func drive(t *testing.T, lab *ovslab.NetLab, addr netip.Addr) func() querier.State {
	host := lab.Host("us")
	mac, err := net.ParseMAC(host.MAC())
	require.NoError(t, err)
	q, err := querier.New(querier.Config{
		MAC: igmp.MAC(mac), Addrs: []netip.Addr{addr}, QI: time.Second, QRI: 500 * time.Millisecond,
	})
	require.NoError(t, err)
	heard, err := host.Capture(func(f ovslab.Frame) bool { return !f.Sent && isGeneral(f) })
	require.NoError(t, err)
	states := make(chan querier.State)
	stop, ended := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() { close(stop); <-ended })
	go func() {
		defer close(ended)
		serve(q, host, heard, states, stop)
	}()
	return func() querier.State { return <-states }
}

// serve is the loop that a driver of a Querier has.
func serve(q *querier.Querier, host *ovslab.Host, heard *ovslab.Capture, states chan<- querier.State, stop <-chan struct{}) {
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
		case <-stop:
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
