package mcast

import (
	"fmt"
	"iter"
	"net/netip"
	"slices"
	"strings"
)

// Mode is a filter mode of RFC 9776 section 3.1.
type Mode uint8

const (
	// Include wants only the listed sources.
	Include Mode = 1
	// Exclude wants all but the listed sources.
	Exclude Mode = 2
)

// String is INCLUDE or EXCLUDE.
func (m Mode) String() string {
	switch m {
	case Include:
		return "INCLUDE"
	case Exclude:
		return "EXCLUDE"
	default:
		return fmt.Sprintf("Mode(%#02x)", uint8(m))
	}
}

// Filter says which sources are wanted. It is immutable. The zero Filter is
// INCLUDE{}: none.
type Filter struct {
	exclude bool
	sources []netip.Addr // sorted, no duplicates, never written again
}

// newFilter takes over sources, which are sorted and without duplicates.
func newFilter(exclude bool, sources []netip.Addr) Filter {
	return Filter{exclude: exclude, sources: slices.Clip(sources)}
}

// Mode is Include or Exclude.
func (f Filter) Mode() Mode {
	if f.exclude {
		return Exclude
	}
	return Include
}

// Len is the number of listed sources.
func (f Filter) Len() int { return len(f.sources) }

// Sources are the listed sources in ascending order: the wanted ones in
// Include mode, the unwanted ones in Exclude mode.
func (f Filter) Sources() iter.Seq[netip.Addr] { return slices.Values(f.sources) }

// IsNone says that no source is wanted.
func (f Filter) IsNone() bool { return !f.exclude && len(f.sources) == 0 }

// Accepts says whether data from the source is wanted. It costs O(log n).
func (f Filter) Accepts(source netip.Addr) bool {
	_, listed := slices.BinarySearchFunc(f.sources, plainAddr(source), netip.Addr.Compare)
	return listed != f.exclude
}

// Equal says whether both want the same.
func (f Filter) Equal(o Filter) bool {
	return f.exclude == o.exclude && slices.Equal(f.sources, o.sources)
}

// Merge is the filter that accepts what any of the filters accepts, RFC 4605
// section 4.1. The merge of none is INCLUDE{}.
func Merge(filters iter.Seq[Filter]) Filter {
	var wanted, blocked []netip.Addr
	exclude := false
	for f := range filters {
		switch {
		case !f.exclude:
			wanted = append(wanted, f.sources...)
		case exclude:
			blocked = pick(blocked, f.sources, true)
		default:
			exclude, blocked = true, f.sources
		}
	}
	slices.SortFunc(wanted, netip.Addr.Compare)
	wanted = slices.Compact(wanted)
	if exclude {
		return newFilter(true, pick(blocked, wanted, false))
	}
	return newFilter(false, wanted)
}

// String is, for instance, EXCLUDE{} or INCLUDE{192.0.2.1, 192.0.2.2}.
func (f Filter) String() string {
	var b strings.Builder
	b.WriteString(f.Mode().String())
	b.WriteByte('{')
	for i, s := range f.sources {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(s.String())
	}
	b.WriteByte('}')
	return b.String()
}

// pick returns those of a that are in b, or those that are not. Both are
// sorted and without duplicates.
func pick(a, b []netip.Addr, in bool) []netip.Addr {
	if len(a) == 0 || len(b) == 0 {
		if in {
			return nil
		}
		return a
	}
	var out []netip.Addr
	for _, s := range a {
		for len(b) > 0 && b[0].Less(s) {
			b = b[1:]
		}
		if (len(b) > 0 && b[0] == s) == in {
			out = append(out, s)
		}
	}
	return out
}
