package ovslab

import (
	"context"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The switch itself says what the tags are: it is told to take only what has them.
func TestATaggedStreamArrivesWithItsTag(t *testing.T) {
	lab := NewNet(t, NetConfig{Hosts: []HostConfig{{Name: "a"}, {Name: "b"}}})
	for _, match := range []string{"dl_vlan=10", "dl_vlan=0", "vlan_tci=0x0000/0x1fff"} {
		_, err := lab.Ofctl(t.Context(), "add-flow", lab.Mgmt(), "udp,"+match+",actions=output:2")
		require.NoError(t, err)
	}
	group := netip.MustParseAddr("239.1.1.1")
	tap, err := lab.Host("b").Tap(group)
	require.NoError(t, err)
	for id, s := range []Stream{{VLAN: 10}, {PriorityTag: true}, {}, {VLAN: 11}} {
		s.ID, s.To, s.Packets = uint32(id), group, 3
		require.NoError(t, lab.Host("a").Send(t.Context(), s))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	arrivals, err := tap.Await(ctx, 9)
	require.NoError(t, err)
	require.Len(t, arrivals, 9, "VLAN 11 is no flow's")
	for _, a := range arrivals {
		require.Equal(t, []Tag{{Tagged: true, VLAN: 10}, {Tagged: true}, {}}[a.ID], a.Tag, "stream %d", a.ID)
		require.Equal(t, lab.Host("a").Addr(), a.From)
	}
}

func TestOnlyAGroupsPacketsAreTagged(t *testing.T) {
	for _, s := range []Stream{
		{To: netip.MustParseAddr("192.0.2.1"), Packets: 1, VLAN: 10},
		{To: netip.MustParseAddr("239.1.1.1"), Packets: 1, VLAN: 4096},
	} {
		require.ErrorIs(t, (&Host{}).Send(t.Context(), s), ErrConfig)
	}
}
