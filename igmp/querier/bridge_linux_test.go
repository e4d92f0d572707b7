package querier_test

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/igmp/querier"
	"github.com/ofmcast/ofmcast/internal/ovslab"
)

// A Linux bridge that queries with the address 192.0.2.50 every second, and us on the same link.
var (
	bridgeAddr = netip.MustParseAddr("192.0.2.50")
	lowerAddr  = netip.MustParseAddr("192.0.2.9")
	higherAddr = netip.MustParseAddr("192.0.2.99")
)

func everySecond(addr netip.Addr) querier.Config {
	return querier.Config{Addrs: []netip.Addr{addr}, QI: time.Second, QRI: 500 * time.Millisecond}
}

func TestALinuxBridgesQuerierYieldsToALowerAddress(t *testing.T) {
	t.Parallel()
	lab := startBridgeQuerier(t)
	us := drive(t, lab, everySecond(lowerAddr))
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
	state := us.state()
	require.True(t, state.Querier)
	require.Equal(t, lowerAddr, state.Elected)
}

func TestWeYieldToALinuxBridgeWithALowerAddressUntilItIsGone(t *testing.T) {
	t.Parallel()
	lab := startBridgeQuerier(t)
	theirs, err := lab.Host("us").Capture(generalFrom(bridgeAddr))
	require.NoError(t, err)
	_, err = theirs.Await(within(t, 10*time.Second), atLeast(1))
	require.NoError(t, err)
	us := drive(t, lab, everySecond(higherAddr))
	await(t, 10*time.Second, "the bridge is elected", func() bool { return us.state().Elected == bridgeAddr })
	require.False(t, us.state().Querier)

	ours, err := lab.Host("bridge").Capture(generalFrom(higherAddr))
	require.NoError(t, err)
	_, err = theirs.Await(within(t, 10*time.Second), atLeast(len(theirs.Frames())+4))
	require.NoError(t, err)
	require.Empty(t, ours.Frames(), "four intervals in which we ask nobody")

	// The bridge goes away, and we take over when it has been silent for long enough.
	ip(t, lab.Host("bridge"), []string{"link", "set", "dev", "br1", "down"})
	await(t, 10*time.Second, "we take over", func() bool { return us.state().Querier })
	_, err = ours.Await(within(t, 10*time.Second), atLeast(1))
	require.NoError(t, err, "and ask at once")
	require.Equal(t, higherAddr, us.state().Elected)
}

func startBridgeQuerier(t *testing.T) *ovslab.NetLab {
	lab := ovslab.NewNet(t, ovslab.NetConfig{FailMode: "standalone", Hosts: []ovslab.HostConfig{
		{Name: "bridge", Addr: netip.PrefixFrom(bridgeAddr, 24)}, {Name: "us"},
	}})
	ip(t, lab.Host("bridge"),
		[]string{"link", "add", "br1", "type", "bridge", "stp_state", "0", "forward_delay", "0",
			"mcast_snooping", "1", "mcast_querier", "1", "mcast_igmp_version", "3", "mcast_query_use_ifaddr", "1",
			"mcast_query_interval", "100", "mcast_query_response_interval", "50", "mcast_startup_query_interval", "25"},
		[]string{"addr", "flush", "dev", "eth0"},
		[]string{"addr", "add", bridgeAddr.String() + "/24", "dev", "br1"},
		[]string{"link", "set", "dev", "eth0", "master", "br1"},
		[]string{"link", "set", "dev", "br1", "up"})
	return lab
}
