package ofsink

import (
	"cmp"
	"iter"
	"maps"
	"net/netip"
	"slices"

	"github.com/ofmcast/ofmcast/mcast"
)

// wish is what a member wants, as far as there is room for it.
type wish[M comparable] struct {
	member M
	filter mcast.Filter
	all    bool // every source's packets, whatever the filter says
}

// fit has members wish for all sources until those that the others name are at most room. Who names the
// fewest is served first: a stranger with a long list then takes nobody's filter away but his own.
func fit[M comparable](s mcast.State[M], room int) (wishes []wish[M], named []netip.Addr) {
	for m, f := range s.All() {
		wishes = append(wishes, wish[M]{member: m, filter: f, all: true})
	}
	order := make([]*wish[M], len(wishes))
	for i := range wishes {
		order[i] = &wishes[i]
	}
	slices.SortStableFunc(order, func(a, b *wish[M]) int { return cmp.Compare(a.filter.Len(), b.filter.Len()) })

	known := make(map[netip.Addr]struct{})
	for _, w := range order {
		var fresh []netip.Addr
		for source := range w.filter.Sources() {
			if _, ok := known[source]; !ok {
				fresh = append(fresh, source)
			}
		}
		if w.all = len(known)+len(fresh) > room; w.all {
			continue
		}
		for _, source := range fresh {
			known[source] = struct{}{}
		}
	}
	return wishes, slices.SortedFunc(maps.Keys(known), netip.Addr.Compare)
}

// forwarding is State.Forwarding for wishes.
func forwarding[M comparable](wishes []wish[M], named []netip.Addr) iter.Seq2[netip.Addr, iter.Seq[M]] {
	return func(yield func(netip.Addr, iter.Seq[M]) bool) {
		if slices.ContainsFunc(wishes, wish[M].anySource) && !yield(anySource, membersWho(wishes, wish[M].anySource)) {
			return
		}
		for _, source := range named {
			accept := func(w wish[M]) bool { return w.all || w.filter.Accepts(source) }
			if !yield(source, membersWho(wishes, accept)) {
				return
			}
		}
	}
}

// anySource says whether the member wants sources that nobody names.
func (w wish[M]) anySource() bool { return w.all || w.filter.Mode() == mcast.Exclude }

func membersWho[M comparable](wishes []wish[M], want func(wish[M]) bool) iter.Seq[M] {
	return func(yield func(M) bool) {
		for _, w := range wishes {
			if want(w) && !yield(w.member) {
				return
			}
		}
	}
}
