package exchange

import (
	"net/netip"
	"strings"

	"github.com/ofmcast/ofmcast/mcast"
)

// want is what a node wants of a group, in the words of a report: all but these sources, or only these.
type want struct {
	kind    mcast.Kind // ChangeToExclude or ChangeToInclude
	sources []netip.Addr
}

// maxValue is the longest value that makes sense, in bytes; the bucket that we make takes none longer.
const maxValue = len("EXCLUDE") + maxSources*(1+len("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"))

// appendValue appends the value for a filter.
func appendValue(b []byte, f mcast.Filter) []byte {
	if f.Len() > maxSources {
		return append(b, mcast.Exclude.String()...)
	}
	b = append(b, f.Mode().String()...)
	for s := range f.Sources() {
		b = s.AppendTo(append(b, ' '))
	}
	return b
}

// parseValue is what a value says about a group. Liberal it is not, for it is always written by
// appendValue: sources are of the group's family, in ascending order, written in the one usual way.
func parseValue(value []byte, group netip.Addr) (w want, ok bool) {
	if len(value) > maxValue {
		return w, false
	}
	mode, rest, listed := strings.Cut(string(value), " ")
	switch {
	case mode == mcast.Exclude.String():
		w.kind = mcast.ChangeToExclude
	case mode == mcast.Include.String() && listed:
		w.kind = mcast.ChangeToInclude
	default:
		return want{}, false
	}
	for more := listed; more; {
		var word string
		word, rest, more = strings.Cut(rest, " ")
		s, err := netip.ParseAddr(word)
		if err != nil || s.String() != word || s.Is4() != group.Is4() || s.Is4In6() || s.Zone() != "" {
			return want{}, false
		}
		if n := len(w.sources); n == maxSources || n > 0 && !w.sources[n-1].Less(s) {
			return want{}, false
		}
		w.sources = append(w.sources, s)
	}
	return w, true
}
