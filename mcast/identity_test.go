package mcast_test

import (
	"math"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/mcast"
)

func TestI1_AGroupIsItsAddressAndItsSegment(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	tagged := g1
	tagged.Segment = 100
	r.join(0, g1, "port1")
	r.join(0, tagged, "port2")
	require.Equal(t, "port1:EXCLUDE{}", r.has(g1))
	require.Equal(t, "port2:EXCLUDE{}", r.has(tagged))
	require.Equal(t, "233.252.0.1@100", tagged.String())
	require.Equal(t, -1, g1.Compare(tagged))
}

func TestI2_EqualMembersAreOneMember(t *testing.T) {
	type port struct {
		bridge string
		number uint32
	}
	c := mcast.New(mcast.Config[port]{})
	require.NoError(t, c.Apply(mcast.Join(g1, port{"br0", 5}, epoch)))
	require.NoError(t, c.Apply(mcast.Join(g1, port{"br0", 5}, epoch)))
	require.NoError(t, c.Apply(mcast.Join(g1, port{"br1", 5}, epoch)))
	s, ok := c.Lookup(g1)
	require.True(t, ok)
	require.Equal(t, 2, s.Len())
	require.True(t, s.Has(port{"br1", 5}))
	require.False(t, s.Has(port{"br1", 6}))
}

func TestI3_MappedAddressesAndZonesAreThePlainAddress(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	r.join(0, mcast.Group{Addr: netip.MustParseAddr("::ffff:233.252.0.1")}, "port1")
	require.Equal(t, "port1:EXCLUDE{}", r.has(g1))
	require.Equal(t, g1, r.Calls()[0].Group())

	v6 := mcast.Group{Addr: netip.MustParseAddr("ff02::1234")}
	r.join(0, mcast.Group{Addr: v6.Addr.WithZone("eth0")}, "port1")
	require.Equal(t, "port1:EXCLUDE{}", r.has(v6))

	r.report(0, g2, "port1", mcast.AllowNewSources, netip.MustParseAddr("::ffff:198.51.100.1"), s1)
	require.Equal(t, "port1:INCLUDE{198.51.100.1}", r.has(g2))
}

func TestI4_NonsenseIsRefusedAndChangesNothing(t *testing.T) {
	good := mcast.Report[float64]{Group: g1, Member: 1, Kind: mcast.AllowNewSources, Sources: []netip.Addr{s1}, At: epoch}
	bad := map[string]func(r *mcast.Report[float64]){
		"no time":             func(r *mcast.Report[float64]) { r.At = time.Time{} },
		"no group":            func(r *mcast.Report[float64]) { r.Group.Addr = netip.Addr{} },
		"unicast group":       func(r *mcast.Report[float64]) { r.Group.Addr = s1 },
		"kind 0":              func(r *mcast.Report[float64]) { r.Kind = 0 },
		"kind 7":              func(r *mcast.Report[float64]) { r.Kind = 7 },
		"version 4":           func(r *mcast.Report[float64]) { r.Version = 4 },
		"unknown owner":       func(r *mcast.Report[float64]) { r.Owner.Kind = mcast.Remote + 1 },
		"member without self": func(r *mcast.Report[float64]) { r.Member = math.NaN() },
		"no source":           func(r *mcast.Report[float64]) { r.Sources = []netip.Addr{s2, {}} },
		"source of IPv6":      func(r *mcast.Report[float64]) { r.Sources = []netip.Addr{netip.MustParseAddr("2001:db8::1")} },
		"multicast source":    func(r *mcast.Report[float64]) { r.Sources = []netip.Addr{g1.Addr} },
		"unspecified source":  func(r *mcast.Report[float64]) { r.Sources = []netip.Addr{netip.IPv4Unspecified()} },
	}
	for name, spoil := range bad {
		t.Run(name, func(t *testing.T) {
			c := mcast.New(mcast.Config[float64]{})
			require.NoError(t, c.Apply(good))
			r := good
			spoil(&r)
			require.ErrorIs(t, c.Apply(r), mcast.ErrInvalid)
			s, _ := c.Lookup(g1)
			require.Equal(t, "233.252.0.1 1:INCLUDE{198.51.100.1}", s.String())
			require.Equal(t, uint64(1), c.Statistics().RefusedInvalid)
			require.Equal(t, 1, c.Statistics().Groups)
		})
	}
}
