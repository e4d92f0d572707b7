package mroute

import (
	"errors"
	"net/netip"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestThirtyThirdVIFIsRefusedAndNothingBreaks(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	interfaces := dummies(t, MaxVIFs+1)
	s := open(t)
	v := addVIFs(t, s, interfaces[:MaxVIFs]...)
	_, err := s.AddVIF(interfaces[MaxVIFs])
	require.ErrorIs(t, err, ErrTableFull)
	require.NoError(t, s.AddRoute(Route{SG: SG{source, group}, In: v[0], Out: []Hop{{VIF: v[31]}}}))

	require.NoError(t, s.DelVIF(v[17]))
	again, err := s.AddVIF(interfaces[MaxVIFs])
	require.NoError(t, err)
	require.Equal(t, v[17], again)
}

func TestRouteWithAVIFThatIsNotThereIsRefusedBeforeTheKernelIsAsked(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	s := open(t)
	v := addVIFs(t, s, dummies(t, 2)...)
	for _, bad := range []VIF{9, 32, 65535} {
		err := s.AddRoute(Route{SG: SG{source, group}, In: bad})
		require.ErrorIs(t, err, ErrNoVIF)
		err = s.AddRoute(Route{SG: SG{source, group}, In: v[0], Out: []Hop{{VIF: v[1]}, {VIF: bad}}})
		require.ErrorIs(t, err, ErrNoVIF)
		_, err = s.VIFCounters(bad)
		require.ErrorIs(t, err, ErrNoVIF)
		require.ErrorIs(t, s.DelVIF(bad), ErrNoVIF)
		_, ok := s.Interface(bad)
		require.False(t, ok)
	}
	_, err := s.RouteCounters(SG{source, group})
	require.ErrorIs(t, err, ErrNoRoute)
}

func TestInterfaceThatIsNoneIsRefused(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	s := open(t)
	for _, bad := range []IfIndex{-1, 0, 1 << 30, 4711} {
		_, err := s.AddVIF(bad)
		require.ErrorIs(t, err, ErrNoInterface)
		_, ok := s.VIFOf(bad)
		require.False(t, ok)
	}
	_, err := s.AddVIF(4711)
	require.ErrorIs(t, err, syscall.EADDRNOTAVAIL)
}

func TestInterfaceHasOneVIF(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	s := open(t)
	interfaces := dummies(t, 2)
	v := addVIFs(t, s, interfaces...)
	again, err := s.AddVIF(interfaces[1])
	require.ErrorIs(t, err, ErrVIFExists)
	require.Equal(t, v[1], again)
	got, ok := s.VIFOf(interfaces[1])
	require.True(t, ok)
	require.Equal(t, v[1], got)
	back, ok := s.Interface(v[1])
	require.True(t, ok)
	require.Equal(t, interfaces[1], back)
}

func TestNumberOfAVanishedInterfaceIsNotReusedWhileARouteNamesIt(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	s := open(t)
	d := dummies(t, 4)
	v := addVIFs(t, s, d[0], d[1])
	route := Route{SG: SG{source, group}, In: v[1], Out: []Hop{{VIF: v[0]}}}
	require.NoError(t, s.AddRoute(route))
	ip(t, "link del d0")
	require.NoError(t, s.DelVIF(v[0]), "the kernel did it already")

	next, err := s.AddVIF(d[2])
	require.NoError(t, err)
	require.NotEqual(t, v[0], next, "the route would now lead there")

	route.Out = nil
	require.NoError(t, s.AddRoute(route))
	next, err = s.AddVIF(d[3])
	require.NoError(t, err)
	require.Equal(t, v[0], next)
	require.Contains(t, kernelTable(t, "ip_mr_vif"), "d3")
	require.NotContains(t, kernelTable(t, "ip_mr_cache"), " 0:", "nothing leads to d3 that was not asked for")
}

func TestNumberIsReusedAfterItsRoutesAreGone(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	s := open(t)
	d := dummies(t, 3)
	v := addVIFs(t, s, d[0], d[1])
	require.NoError(t, s.AddRoute(Route{SG: SG{source, group}, In: v[0]}))
	require.NoError(t, s.DelVIF(v[0]))
	require.NoError(t, s.DelRoute(SG{source, group}))
	next, err := s.AddVIF(d[2])
	require.NoError(t, err)
	require.Equal(t, v[0], next)
}

func TestRouteThatCannotBeIsRefused(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	s := open(t)
	v := addVIFs(t, s, dummies(t, 2)...)
	for name, c := range map[string]struct {
		route Route
		want  error
	}{
		"back to where it came from": {Route{SG: SG{source, group}, In: v[0], Out: []Hop{{VIF: v[0]}}}, ErrLoop},
		"a threshold that blocks":    {Route{SG: SG{source, group}, In: v[0], Out: []Hop{{VIF: v[1], TTL: 255}}}, ErrTTL},
		"a link-local group":         {Route{SG: SG{source, netip.MustParseAddr("224.0.0.251")}, In: v[0]}, ErrLinkLocal},
		"a group that is none":       {Route{SG: SG{source, source}, In: v[0]}, ErrAddress},
		"no group":                   {Route{SG: SG{Source: source}, In: v[0]}, ErrAddress},
		"a source that is a group":   {Route{SG: SG{group, group}, In: v[0]}, ErrAddress},
		"no source":                  {Route{SG: SG{Group: group}, In: v[0]}, ErrAddress},
		"any group of one source":    {Route{SG: SG{source, netip.IPv4Unspecified()}, In: v[0]}, ErrAddress},
		"any source of IPv6":         {Route{SG: SG{netip.IPv6Unspecified(), netip.IPv6Unspecified()}, In: v[0]}, errors.ErrUnsupported},
		"IPv6":                       {Route{SG: SG{source, netip.MustParseAddr("ff3e::1")}, In: v[0]}, ErrAddress},
	} {
		require.ErrorIs(t, s.AddRoute(c.route), c.want, name)
	}
	require.NotContains(t, kernelTable(t, "ip_mr_cache"), ":1")
}
