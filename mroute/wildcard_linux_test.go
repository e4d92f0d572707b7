package mroute

import (
	"net/netip"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

var anySource = netip.IPv4Unspecified()

func TestAnySourceIsRoutedWithoutAnUpcall(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	from, to, other := newHost(t, 1), newHost(t, 2), newHost(t, 3)
	s := open(t)
	v := addVIFs(t, s, index(t, "v1"), index(t, "v2"), index(t, "v3"))
	star := SG{anySource, group}
	require.NoError(t, s.AddRoute(Route{SG: star, In: v[0], Out: []Hop{{VIF: v[1]}}}))
	out := to.udp(t, group.String()+":5000")
	for _, addr := range []string{"10.0.1.2", "10.0.1.7"} {
		if addr != "10.0.1.2" {
			require.NoError(t, from.run(func() error { return runIP(nil, "addr add "+addr+"/24 dev eth0") }))
		}
		send(t, from.senderAt(t, addr), group.String(), addr)
		require.Equal(t, addr, receive(t, out))
	}
	c, err := s.RouteCounters(star)
	require.NoError(t, err)
	require.Equal(t, uint64(2), c.Packets)

	// The (S,G) beside it goes first.
	require.NoError(t, s.AddRoute(Route{SG: SG{source, group}, In: v[0]}))
	in := from.sender(t)
	send(t, in, group.String(), "negative")
	require.NoError(t, s.DelRoute(SG{source, group}))
	send(t, in, group.String(), "any again")
	require.Equal(t, "any again", receive(t, out))

	// From an interface that is not in it, it is as if it were not there.
	sender := other.sender(t)
	send(t, sender, group.String(), "from elsewhere")
	require.Equal(t, &Upcall{Kind: NoCache, VIF: v[2], SG: SG{netip.MustParseAddr("10.0.3.2"), group}}, upcall(t, s))
}

func TestAnySourceMovesToAnotherInterfaceAsOneRoute(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	s := open(t)
	v := addVIFs(t, s, dummies(t, 3)...)
	star := SG{anySource, group}
	for _, in := range []VIF{v[1], v[2]} {
		require.NoError(t, s.AddRoute(Route{SG: star, In: in, Out: []Hop{{VIF: v[0], TTL: 9}}}))
		all, err := s.Dump()
		require.NoError(t, err)
		require.Len(t, all, 1)
		require.Equal(t, Route{SG: star, In: in, Out: []Hop{{VIF: v[0], TTL: 9}}}, all[0].Route())
	}
	require.NoError(t, s.DelRoute(star))
	require.NoError(t, s.DelRoute(star), "it is gone already")
	all, err := s.Dump()
	require.NoError(t, err)
	require.Empty(t, all)
}

// What a receiver's side sends goes to the upstream, and the other way round to who wants it.
func TestAnySourceAnyGroupMakesABidirectionalTree(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	up, down, far := newHost(t, 1), newHost(t, 2), newHost(t, 3)
	s := open(t)
	v := addVIFs(t, s, index(t, "v1"), index(t, "v2"), index(t, "v3"))
	require.NoError(t, s.AddRoute(Route{SG: SG{anySource, anySource}, In: v[0], Out: []Hop{{VIF: v[1]}, {VIF: v[2]}}}))
	atUp := up.udp(t, group.String()+":5000")
	send(t, down.sender(t), group.String(), "upstream")
	require.Equal(t, "upstream", receive(t, atUp))

	require.NoError(t, s.AddRoute(Route{SG: SG{anySource, group}, In: v[0], Out: []Hop{{VIF: v[1]}}}))
	atDown := down.udp(t, group.String()+":5000")
	send(t, up.sender(t), group.String(), "downstream")
	require.Equal(t, "downstream", receive(t, atDown))
	require.Equal(t, "downstream", receive(t, atUp), "a host's own packets")
	send(t, far.sender(t), group.String(), "to both")
	require.Equal(t, "to both", receive(t, atDown))
	require.Equal(t, "to both", receive(t, atUp))
	require.Equal(t, "(*, *) 0 > 1 2", Route{SG: SG{anySource, anySource}, In: v[0], Out: []Hop{{VIF: v[1]}, {VIF: v[2]}}}.String())
}

func TestFlushRemovesWhatItIsToldTo(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	s := open(t)
	d := dummies(t, 2)
	v := addVIFs(t, s, d...)
	route := Route{SG: SG{source, group}, In: v[0], Out: []Hop{{VIF: v[1]}}}
	require.NoError(t, s.AddRoute(route))
	require.NoError(t, s.AddRoute(Route{SG: SG{anySource, group}, In: v[0], Out: []Hop{{VIF: v[1]}}}))
	require.NoError(t, s.Flush(FlushVIFs))
	vifs, err := s.VIFs()
	require.NoError(t, err)
	require.Empty(t, vifs)
	all, err := s.Dump()
	require.NoError(t, err)
	require.Len(t, all, 2, "routes that lead nowhere")
	next, err := s.AddVIF(d[0])
	require.NoError(t, err)
	require.NotContains(t, v, next, "they name those numbers")

	require.NoError(t, s.Flush(FlushRoutes))
	all, err = s.Dump()
	require.NoError(t, err)
	require.Empty(t, all)
	next, err = s.AddVIF(d[1])
	require.NoError(t, err)
	require.Contains(t, v, next)
	require.ErrorIs(t, s.Flush(0), syscall.EINVAL)
	require.ErrorIs(t, s.Flush(16), syscall.EINVAL)
	require.NoError(t, s.Flush(FlushRoutes|FlushStaticRoutes|FlushVIFs|FlushStaticVIFs))
}
