package peers

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/igmp"
)

func nodes(n int) (all []netip.Addr) {
	a := netip.MustParseAddr("10.0.0.0")
	for range n {
		a = a.Next()
		all = append(all, a)
	}
	return all
}

func TestOneListOfNodesServesAllOfThem(t *testing.T) {
	peers, err := Clean(nodeA, []netip.Addr{nodeC, nodeA, nodeB, nodeC})
	require.NoError(t, err)
	require.Equal(t, []netip.Addr{nodeB, nodeC}, peers)
}

func TestMorePeersThanOnePacketCanGoToAreRefused(t *testing.T) {
	_, err := Clean(nodeA, append(nodes(Max), nodeA))
	require.NoError(t, err)
	_, err = Clean(nodeA, nodes(Max+1))
	require.ErrorIs(t, err, ErrConfig)
	require.ErrorContains(t, err, "701 other nodes")
	x := newExchange(t, nil)
	require.ErrorIs(t, x.SetPeers(nodes(Max+1)), ErrConfig)
	require.Equal(t, []netip.Addr{nodeB, nodeC}, x.peers)
}

func TestWhatCannotWorkIsRefused(t *testing.T) {
	for name, edit := range map[string]func(*Config){
		"no address":        func(c *Config) { c.Node = netip.Addr{} },
		"IPv6":              func(c *Config) { c.Node = netip.MustParseAddr("2001:db8::1") },
		"a group":           func(c *Config) { c.Node = group(1).Addr },
		"everybody":         func(c *Config) { c.Node = netip.IPv4Unspecified() },
		"a peer of IPv6":    func(c *Config) { c.Peers = []netip.Addr{netip.MustParseAddr("2001:db8::1")} },
		"a group as a peer": func(c *Config) { c.Peers = []netip.Addr{group(1).Addr} },
		"no MAC":            func(c *Config) { c.MAC = igmp.MAC{} },
		"a group's MAC":     func(c *Config) { c.MAC = igmp.MAC{1, 0, 0x5e} },
		"too often":         func(c *Config) { c.Interval = time.Millisecond },
		"never":             func(c *Config) { c.Robustness = -1 },
		"no room":           func(c *Config) { c.MTU = 50 },
	} {
		cfg := Config{Node: nodeA, MAC: igmp.MAC{2}}
		_, err := New(cfg)
		require.NoError(t, err)
		edit(&cfg)
		_, err = New(cfg)
		require.ErrorIs(t, err, ErrConfig, name)
	}
}

func TestAnAnswerIsSpreadByDefault(t *testing.T) {
	x, err := New(Config{Node: nodeA, MAC: igmp.MAC{2}})
	require.NoError(t, err)
	for range 100 {
		require.Less(t, x.cfg.Jitter(maxResponse), maxResponse)
	}
}
