package mcast

import (
	"iter"
	"net/netip"
	"slices"
)

// Forwarding says where data goes: for a source the members that get it. The
// first row, if any member is in EXCLUDE mode, has the zero Addr and is for
// every source that has no row of its own. A row for each source that a member
// names follows, in ascending order: its members are those in INCLUDE mode who
// list it and those in EXCLUDE mode who do not. Such a row may have no members:
// then data of this source goes nowhere. Sources without a row that applies go
// nowhere too.
//
// Members come in order (contract O1), and both may be ranged over again. The
// cost of a row is O(n log k) for n members who list k sources each.
func (s State[M]) Forwarding() iter.Seq2[netip.Addr, iter.Seq[M]] {
	return func(yield func(netip.Addr, iter.Seq[M]) bool) {
		entries := s.sorted()
		anyone := slices.ContainsFunc(entries, func(e *entry[M]) bool { return e.filter.exclude })
		if anyone && !yield(netip.Addr{}, who(entries, func(f *Filter) bool { return f.exclude })) {
			return
		}
		for _, src := range named(entries) {
			if !yield(src, who(entries, func(f *Filter) bool { return f.Accepts(src) })) {
				return
			}
		}
	}
}

// named are all sources that any member lists, in ascending order.
func named[M comparable](entries []*entry[M]) []netip.Addr {
	var out []netip.Addr
	for _, e := range entries {
		out = append(out, e.filter.sources...)
	}
	slices.SortFunc(out, netip.Addr.Compare)
	return slices.Compact(out)
}

func who[M comparable](entries []*entry[M], accepts func(*Filter) bool) iter.Seq[M] {
	return func(yield func(M) bool) {
		for _, e := range entries {
			if accepts(e.filter) && !yield(e.member) {
				return
			}
		}
	}
}
