package mroute

import (
	"errors"
	"net/netip"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// wants says what a filter means, by its definition.
func (f Filter) wants(s netip.Addr) bool { return slices.Contains(f.Sources, s) != f.Exclude }

// Some source passes the merged filter if and only if somebody wants it.
func TestMergedFilterWantsWhatAnybodyWants(t *testing.T) {
	sources := []netip.Addr{}
	for n := range byte(6) {
		sources = append(sources, netip.AddrFrom4([4]byte{198, 51, 100, n + 1}))
	}
	rapid.Check(t, func(t *rapid.T) {
		filters := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Filter {
			return Filter{
				Exclude: rapid.Bool().Draw(t, "exclude"),
				Sources: rapid.SliceOfN(rapid.SampledFrom(sources[:5]), 0, 7).Draw(t, "sources"),
			}
		}), 1, 4).Draw(t, "filters")
		var plain []Filter
		for _, f := range filters {
			p, err := f.plain()
			require.NoError(t, err)
			plain = append(plain, p)
		}
		merged := merge(slices.Values(plain))
		for _, s := range sources {
			anybody := slices.ContainsFunc(filters, func(f Filter) bool { return f.wants(s) })
			require.Equal(t, anybody, merged.wants(s), "%v of %v", s, filters)
		}
		again, err := merged.plain()
		require.NoError(t, err)
		require.True(t, merged.equal(again), "sorted, each source once")
	})
}

func TestNobodysFilterIsNone(t *testing.T) {
	require.True(t, merge(slices.Values([]Filter{})).IsNone())
	require.True(t, Filter{}.IsNone())
	require.False(t, AnySource().IsNone())
	require.Equal(t, "EXCLUDE[]", AnySource().String())
	require.Equal(t, "INCLUDE[198.51.100.1]", Only(documented.Source).String())
}

func TestFilterIsTheCallersToChangeAfterwards(t *testing.T) {
	f := Only(documented.Source, netip.AddrFrom16(documented.Source.As16()))
	p, err := f.plain()
	require.NoError(t, err)
	require.Equal(t, []netip.Addr{documented.Source}, p.Sources, "the mapped form is the same source")
	f.Sources[0] = netip.Addr{}
	require.Equal(t, documented.Source, p.Sources[0])
	_, err = f.plain()
	require.ErrorIs(t, err, ErrFilter)
	require.ErrorIs(t, err, ErrAddress)
	_, err = Only(netip.MustParseAddr("2001:db8::1")).plain()
	require.True(t, errors.Is(err, errors.ErrUnsupported))
}
