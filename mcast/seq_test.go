package mcast

import (
	"math"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The numbers of the order of joining are of 32 bits: when there are no more,
// they are given anew, and nobody can tell.
func TestTheOrderOfJoiningOutlivesItsNumbers(t *testing.T) {
	c := New(Config[string]{})
	g := Group{Addr: netip.MustParseAddr("233.252.0.1")}
	at := time.Unix(1, 0)
	for _, m := range []string{"c", "x", "a"} {
		require.NoError(t, c.Apply(Join(g, m, at)))
	}
	c.RemoveMember("x", at)
	c.groups[g].seq = math.MaxUint32 - 1
	require.NoError(t, c.Apply(Join(g, "b", at)))
	before, _ := c.Lookup(g)
	require.NoError(t, c.Apply(Join(g, "d", at)))
	after, _ := c.Lookup(g)
	require.Equal(t, uint32(4), c.groups[g].seq)
	require.Equal(t, []string{"c", "a", "b"}, slices.Collect(before.Members()))
	require.Equal(t, []string{"c", "a", "b", "d"}, slices.Collect(after.Members()))
	require.False(t, after.cur.same(before.cur))
	c.RemoveMember("d", at)
	back, _ := c.Lookup(g)
	require.True(t, back.cur.same(before.cur), "no sink sees new numbers")
}
