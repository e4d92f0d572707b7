package modeltest

import (
	"fmt"
	"iter"
	"net/netip"
	"slices"
	"strings"

	"github.com/ofmcast/ofmcast/mcast"
)

// The world of all histories: so little that what happens meets.
var (
	groups = []mcast.Group{
		{Addr: netip.MustParseAddr("233.252.0.1")},
		{Addr: netip.MustParseAddr("233.252.0.1"), Segment: 7},
		{Addr: netip.MustParseAddr("ff3e::1"), Segment: 7},
	}
	members = []string{"a", "b", "c"}
	owners  = []mcast.Owner{{}, {Kind: mcast.Static, ID: "config"}, {Kind: mcast.Remote, ID: "node"}}
	ipv4    = parse("198.51.100.1", "198.51.100.2", "198.51.100.3")
	ipv6    = parse("2001:db8::1", "2001:db8::2", "2001:db8::3")
	other   = map[bool]source{true: parse("198.51.100.9")[0], false: parse("2001:db8::9")[0]} // by Is4
)

func parse(list ...string) []source {
	var out []source
	for _, s := range list {
		out = append(out, netip.MustParseAddr(s))
	}
	return out
}

func sourcesOf(g mcast.Group) []source {
	if g.Addr.Is4() {
		return ipv4
	}
	return ipv6
}

// row is what can be seen of a member of a group.
type row struct {
	member  string
	exclude bool
	sources uint8 // a bit for each of sourcesOf, one more for a stranger
}

func (r row) String() string {
	mode := "IN"
	if r.exclude {
		mode = "EX"
	}
	return fmt.Sprintf("%s:%s%v", r.member, mode, numbers(r.sources))
}

// numbers are the sources of a set as 1, 2 and 3.
func numbers(set uint8) string {
	var out []string
	for i := range 8 {
		if set&(1<<i) != 0 {
			out = append(out, fmt.Sprint(i+1))
		}
	}
	return "{" + strings.Join(out, " ") + "}"
}

// setOf is the sources of a group as a set.
func setOf(g mcast.Group, list iter.Seq[source]) (set uint8) {
	for s := range list {
		if i := slices.Index(sourcesOf(g), s); i >= 0 {
			set |= 1 << i
		} else {
			set |= 1 << 7
		}
	}
	return set
}

// rowOf is what the cache says of a member.
func rowOf(g mcast.Group, member string, f mcast.Filter) row {
	return row{member, f.Mode() == mcast.Exclude, setOf(g, f.Sources())}
}

// rowsOf is what the cache says of a group, in its order.
func rowsOf(s mcast.State[string]) []row {
	var out []row
	for member, f := range s.All() {
		out = append(out, rowOf(s.Group(), member, f))
	}
	return out
}

// rows is what the cache shall say of a group.
func (m *model) rows(g mcast.Group) []row {
	var out []row
	for _, name := range m.order[g] {
		r := row{member: name, exclude: m.accepts(g, name, other[g.Addr.Is4()])}
		for i, s := range sourcesOf(g) {
			if m.accepts(g, name, s) != r.exclude {
				r.sources |= 1 << i
			}
		}
		out = append(out, r)
	}
	if m.sorted {
		slices.SortStableFunc(out, func(a, b row) int { return strings.Compare(b.member, a.member) })
	}
	return out
}

// accepts says whether any owner of a member wants data of a source.
func (m *model) accepts(g mcast.Group, member string, s source) bool {
	for _, o := range owners {
		h := m.holdings[key{g, member, o}]
		if h == nil {
			continue
		}
		if _, running := h.running[s]; running || h.exclude && !h.blocked[s] {
			return true
		}
	}
	return false
}

// forwarding is where data goes: of any source, then of each that has a row.
func forwarding(g mcast.Group, rows []row) string {
	var b strings.Builder
	list := func(name string, accepts func(row) bool) {
		b.WriteString(name + ":")
		for _, r := range rows {
			if accepts(r) {
				b.WriteString(" " + r.member)
			}
		}
		b.WriteString("; ")
	}
	if slices.ContainsFunc(rows, func(r row) bool { return r.exclude }) {
		list(netip.Addr{}.String(), func(r row) bool { return r.exclude })
	}
	for i, s := range sourcesOf(g) {
		names := func(r row) bool { return r.sources&(1<<i) != 0 }
		if slices.ContainsFunc(rows, names) {
			list(s.String(), func(r row) bool { return names(r) != r.exclude })
		}
	}
	return b.String()
}

// forwardingOf is what the cache says.
func forwardingOf(s mcast.State[string]) string {
	var b strings.Builder
	for src, to := range s.Forwarding() {
		b.WriteString(src.String() + ":")
		for member := range to {
			b.WriteString(" " + member)
		}
		b.WriteString("; ")
	}
	return b.String()
}

// joined is what to join upstream: what any member accepts.
func joined(rows []row) row {
	wanted, blocked, exclude := uint8(0), uint8(0xff), false
	for _, r := range rows {
		if r.exclude {
			exclude, blocked = true, blocked&r.sources
		} else {
			wanted |= r.sources
		}
	}
	if exclude {
		return row{exclude: true, sources: blocked &^ wanted}
	}
	return row{sources: wanted}
}

// changes is what has become of the members between two states, by name.
func changes(old, cur []row) map[string]string {
	was, is := byName(old), byName(cur)
	out := map[string]string{}
	for name, r := range is {
		before, ok := was[name]
		switch {
		case !ok:
			out[name] = fmt.Sprint(mcast.Joined, row{member: name}, r)
		case before != r:
			out[name] = fmt.Sprint(mcast.Refiltered, before, r)
		}
	}
	for name, r := range was {
		if _, ok := is[name]; !ok {
			out[name] = fmt.Sprint(mcast.Left, r, row{member: name})
		}
	}
	return out
}

func changesOf(s mcast.State[string]) map[string]string {
	out := map[string]string{}
	for name, c := range s.Changes() {
		out[name] = fmt.Sprint(c.Kind, rowOf(s.Group(), name, c.Old), rowOf(s.Group(), name, c.New))
	}
	return out
}

func byName(rows []row) map[string]row {
	out := map[string]row{}
	for _, r := range rows {
		out[r.member] = r
	}
	return out
}
