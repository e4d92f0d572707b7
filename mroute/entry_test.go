package mroute

import (
	"net/netip"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var anyIPv4 = rapid.Map(rapid.Uint32(), func(n uint32) netip.Addr {
	return netip.AddrFrom4([4]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)})
})

func TestKeyIsTheSourceAndTheGroup(t *testing.T) {
	require.Equal(t, mfcKey(0xc6336401_e9fc0001), documented.key())
	require.Equal(t, documented.String(), documented.key().String())
	require.False(t, documented.key().wildcard())
	rapid.Check(t, func(t *rapid.T) {
		k := SG{anyIPv4.Draw(t, "source"), anyIPv4.Draw(t, "group")}
		require.Equal(t, k, k.key().sg())
		require.Equal(t, k.Wildcard(), k.key().wildcard())
	})
}

// What is booked of a route is the route: in the order of VIF numbers, with the thresholds that hold.
func TestEntryIsItsRoute(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		numbers := rapid.SliceOfNDistinct(rapid.Uint16Range(0, MaxVIFs-1), 1, MaxVIFs, rapid.ID).Draw(t, "VIFs")
		source := rapid.SampledFrom([]netip.Addr{documented.Source, netip.IPv4Unspecified()}).Draw(t, "source")
		r := Route{SG: SG{source, documented.Group}, In: VIF(numbers[0])}
		for _, v := range numbers[1:] {
			r.Out = append(r.Out, Hop{VIF(v), rapid.Uint8Range(0, 254).Draw(t, "TTL")})
		}
		e := r.entry()
		got := e.route(r.key())
		for n, h := range r.Out {
			r.Out[n].TTL = max(h.TTL, 1)
		}
		slices.SortFunc(r.Out, func(a, b Hop) int { return int(a.VIF) - int(b.VIF) })
		require.Equal(t, r, got)
		again := got.entry()
		require.True(t, e.same(&again))
	})
}

func TestEntryWithinASetOfVIFsNamesNoOthers(t *testing.T) {
	e := Route{SG: documented, In: 1, Out: []Hop{{VIF: 0}, {VIF: 5, TTL: 9}}}.entry()
	e.adopted = true
	less := e.within(1<<1 | 1<<5)
	require.Equal(t, entry{in: 1, out: ttls{5: 9}, vifs: 1<<1 | 1<<5}, less)
	require.Equal(t, ttls{0: 1, 5: 9}, e.out, "a copy")
}

func TestKernelsWildcardAgreesWithTheBooks(t *testing.T) {
	k := newFake()
	s := newSocket(k)
	for i := range IfIndex(3) {
		_, err := s.AddVIF(10 + i)
		require.NoError(t, err)
	}
	star := SG{netip.IPv4Unspecified(), documented.Group}
	require.NoError(t, s.AddRoute(Route{SG: star, In: 0, Out: []Hop{{VIF: 2}}}))
	dump, err := s.Dump()
	require.NoError(t, err)
	require.Len(t, dump, 1)
	require.True(t, s.agrees(&dump[0]))
	for name, change := range map[string]func(*KernelRoute){
		"another way in":   func(k *KernelRoute) { k.In.Index = 11 },
		"one way less":     func(k *KernelRoute) { k.Out = k.Out[1:] },
		"one way twice":    func(k *KernelRoute) { k.Out = append(k.Out, k.Out[0]) },
		"one way more":     func(k *KernelRoute) { k.Out = append(k.Out, KernelHop{Port{1, 11}, 1}) },
		"an unknown way":   func(k *KernelRoute) { k.Out[0].Index = 99 },
		"a threshold":      func(k *KernelRoute) { k.Out[0].TTL = 7 },
		"somebody else's":  func(k *KernelRoute) { k.Static = true },
		"another's stream": func(k *KernelRoute) { k.Group = group2 },
	} {
		other := dump[0]
		other.Out = slices.Clone(other.Out)
		change(&other)
		require.False(t, s.agrees(&other), name)
	}
}
