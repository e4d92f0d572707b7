package main

import (
	"net"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/mroute"
)

func TestNothingIsJoinedForAnySourceInTheSourceSpecificRange(t *testing.T) {
	lo, err := net.InterfaceByName("lo")
	require.NoError(t, err)
	u := newUpstream([]string{"lo", "no-such-interface"})
	defer u.joiner.Close()
	changed, anew, err := u.look()
	require.NoError(t, err)
	require.True(t, anew)
	require.Equal(t, []*outer{{name: "lo", index: mroute.IfIndex(lo.Index), up: lo.Flags&net.FlagUp != 0}}, changed)

	m := mroute.Membership{Interface: mroute.IfIndex(lo.Index), Group: single}
	held := func() (all []string) {
		for _, f := range u.joiner.Memberships() {
			all = append(all, f.String())
		}
		return all
	}
	require.NoError(t, u.Set(m, mroute.Only(s1)))
	require.Equal(t, []string{mroute.Only(s1).String()}, held())
	require.NoError(t, u.Set(m, mroute.AnySource()))
	require.Empty(t, held())
	require.NoError(t, u.Set(mroute.Membership{Interface: m.Interface, Group: group}, mroute.AnySource()))
	require.Equal(t, []string{mroute.AnySource().String()}, held())

	u.links[0].index++ // it has returned with another index
	m.Interface++
	_ = u.joiner.Set(m, mroute.Only(s1)) // the wish stands, whatever the kernel says
	changed, anew, err = u.look()
	require.NoError(t, err)
	require.True(t, anew)
	require.Len(t, changed, 1)
	require.False(t, slices.Contains(held(), mroute.Only(s1).String()), "what was joined there is forgotten")
	changed, anew, err = u.look()
	require.NoError(t, err)
	require.False(t, anew)
	require.Empty(t, changed)
}
