package mroute

import (
	"fmt"
	"iter"
	"net/netip"
	"slices"
)

// Filter says which sources of a group are wanted (RFC 9776 3.1). The zero Filter is INCLUDE{}: none.
type Filter struct {
	// Exclude wants all sources but the listed ones; otherwise the listed ones alone are wanted.
	Exclude bool
	// Sources are unicast addresses, in any order.
	Sources []netip.Addr
}

// AnySource is EXCLUDE{}.
func AnySource() Filter { return Filter{Exclude: true} }

// Only is INCLUDE{sources}.
func Only(sources ...netip.Addr) Filter { return Filter{Sources: sources} }

// IsNone says that nothing is wanted.
func (f Filter) IsNone() bool { return !f.Exclude && len(f.Sources) == 0 }

// String is "EXCLUDE[198.51.100.1]".
func (f Filter) String() string {
	if f.Exclude {
		return fmt.Sprintf("EXCLUDE%v", f.Sources)
	}
	return fmt.Sprintf("INCLUDE%v", f.Sources)
}

// plain makes a filter of its own: sorted, each source once.
func (f Filter) plain() (Filter, error) {
	out := Filter{Exclude: f.Exclude, Sources: make([]netip.Addr, 0, len(f.Sources))}
	for _, s := range f.Sources {
		s, err := plainSource(s)
		if err != nil {
			return Filter{}, fmt.Errorf("%w: %w", ErrFilter, err)
		}
		out.Sources = append(out.Sources, s)
	}
	slices.SortFunc(out.Sources, netip.Addr.Compare)
	out.Sources = slices.Compact(out.Sources)
	return out, nil
}

func (f Filter) equal(o Filter) bool {
	return f.Exclude == o.Exclude && slices.Equal(f.Sources, o.Sources)
}

// lists says whether a plain filter names the source.
func (f Filter) lists(source netip.Addr) bool {
	_, found := slices.BinarySearchFunc(f.Sources, source, netip.Addr.Compare)
	return found
}

// merge is the filter that wants what any of the plain filters wants (RFC 9776 3.2).
func merge(filters iter.Seq[Filter]) Filter {
	var included Filter
	var excluded []Filter
	for f := range filters {
		if f.Exclude {
			excluded = append(excluded, f)
		} else {
			included.Sources = append(included.Sources, f.Sources...)
		}
	}
	slices.SortFunc(included.Sources, netip.Addr.Compare)
	included.Sources = slices.Compact(included.Sources)
	if len(excluded) == 0 {
		return included
	}
	// Blocked stays what every EXCLUDE blocks and no INCLUDE wants.
	blocked := slices.DeleteFunc(slices.Clone(excluded[0].Sources), func(s netip.Addr) bool {
		return included.lists(s) || slices.ContainsFunc(excluded, func(f Filter) bool { return !f.lists(s) })
	})
	return Filter{Exclude: true, Sources: blocked}
}
