package mroute

import (
	"fmt"
	"net/netip"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// addVeth makes d0 again, with a number that it had.
func addVeth(t *testing.T, at IfIndex) {
	t.Helper()
	ip(t, fmt.Sprintf("link add name d0 index %d type veth peer name again0", at), "link set again0 up", "link set d0 up")
	require.Equal(t, at, index(t, "d0"))
}

func TestMembershipOutlivesAnInterfaceThatGoesDownAndUp(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	d := dummies(t, 1)[0]
	j := joiner(t)
	any, some := Membership{Interface: d, Group: group}, Membership{Interface: d, Group: group.Next()}
	require.NoError(t, j.Set(any, AnySource()))
	require.NoError(t, j.Set(some, Only(source)))
	for range 3 {
		ip(t, "link set d0 down")
		require.NoError(t, j.Set(any, AnySource()), "it may be asked for meanwhile")
		ip(t, "link set d0 up")
	}
	require.Len(t, joined(t, "d0"), 2)
	// 224.0.0.1 is now the first in the kernel's list, and /proc/net/mcfilter stops at a first group without sources.
	last := Membership{Interface: d, Group: group.Next().Next()}
	require.NoError(t, j.Set(last, Only(source)))
	require.Equal(t, []string{"0xe9fc0002 0x0a000102 1 0", "0xe9fc0003 0x0a000102 1 0"}, filters(t, "d0"))
	require.NoError(t, j.Leave(last))
	ip(t, "link set d0 down")
	require.NoError(t, j.Leave(some), "and be left")
	ip(t, "link set d0 up")
	require.Equal(t, []string{group.String()}, joined(t, "d0"))
}

func TestInterfaceThatComesBackWithItsIndexIsRejoined(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	d := dummies(t, 2)
	j := joiner(t)
	sources := numbered("198.51", 0, 25)
	// Both have sources: the kernel's list of them leaves an interface out whose group that was joined last has none.
	require.NoError(t, j.Set(Membership{d[0], group, "a"}, Filter{Exclude: true, Sources: sources[:1]}))
	require.NoError(t, j.Set(Membership{d[0], group.Next(), "b"}, Only(sources...)))
	require.NoError(t, j.Set(Membership{Interface: d[1], Group: group}, AnySource()))
	held := j.Stats()

	ip(t, "link del d0")
	require.ErrorIs(t, j.Rejoin(d[0]), ErrNoInterface, "it is not back yet")
	addVeth(t, d[0])
	require.Empty(t, joined(t, "d0"), "the kernel has forgotten")
	for range 2 {
		require.NoError(t, j.Rejoin(d[0]))
		require.Equal(t, []string{group.String(), group.Next().String()}, joined(t, "d0"))
		require.Len(t, filters(t, "d0"), 1+25)
		require.Equal(t, held, j.Stats())
	}
	require.Equal(t, []string{group.String()}, joined(t, "d1"), "others are not touched")
	require.NoError(t, j.Leave(Membership{d[0], group, "a"}))
	require.NoError(t, j.Leave(Membership{d[0], group.Next(), "b"}))
	require.Empty(t, joined(t, "d0"))
}

func TestInterfaceThatComesBackWithAnotherIndexIsAnother(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	d := dummies(t, 1)[0]
	j := joiner(t)
	require.NoError(t, j.Set(Membership{Interface: d, Group: group}, Only(source)))
	ip(t, "link del d0")
	addVeth(t, d+100)
	require.NoError(t, j.Set(Membership{Interface: d + 100, Group: group}, Only(source)))
	require.NoError(t, j.Leave(Membership{Interface: d, Group: group}))
	require.Equal(t, []string{group.String()}, joined(t, "d0"))
	require.Equal(t, JoinerStats{Places: 1, Sockets: 1}, j.Stats())
}

func TestSourceListChangesKeepWhatStays(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	d := dummies(t, 1)[0]
	j := joiner(t)
	m := Membership{Interface: d, Group: group}
	sources := numbered("198.51", 0, 60)
	for from := range 30 { // a window that slides, over the limit of ten for one socket
		require.NoError(t, j.Set(m, Only(sources[from:from+25]...)))
		require.Len(t, filters(t, "d0"), 25)
		require.LessOrEqual(t, j.Stats().Sockets, 4)
	}
	require.NoError(t, j.Set(m, Filter{Exclude: true, Sources: sources[:2]}))
	require.Equal(t, []string{"0xe9fc0001 0xc6330001 0 1", "0xe9fc0001 0xc6330002 0 1"}, filters(t, "d0"))
	require.NoError(t, j.Set(m, Only(sources[0])))
	require.Equal(t, []string{"0xe9fc0001 0xc6330001 1 0"}, filters(t, "d0"))
}

func TestMembershipsAreListedInOrder(t *testing.T) {
	j, _ := fakeJoiner()
	low, high := documented.Group, documented.Group.Next()
	want := []Membership{{1, low, "a"}, {1, low, "b"}, {1, high, ""}, {2, low, "a"}}
	for _, m := range slices.Backward(want) {
		require.NoError(t, j.Set(m, Filter{Exclude: true, Sources: []netip.Addr{documented.Source}}))
	}
	var got []Membership
	for m, f := range j.Memberships() {
		require.Equal(t, "EXCLUDE["+documented.Source.String()+"]", f.String())
		f.Sources[0] = netip.Addr{} // the listener's own
		got = append(got, m)
	}
	require.Equal(t, want, got)
	for range j.Memberships() {
		break
	}
}
