package mcast

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// rfcTables are the tables of RFC 9776 section 6.4, row by row, each with sets
// that have something in every part of the Venn diagram. Numbers are timers in
// seconds; before the report every source timer is 100 and the group timer 50,
// GMI is 270 and LMQT 2. A bar parts X from Y.
var rfcTables = []struct{ row, state, report, want, queries string }{
	// 6.4.1, reception of current-state records.
	{"INCLUDE (A), IS_IN (B) -> INCLUDE (A+B), (B)=GMI",
		"INCLUDE(a b)", "IS_IN(b c)", "INCLUDE(a:100 b:270 c:270)", ""},
	{"INCLUDE (A), IS_EX (B) -> EXCLUDE (A*B,B-A), (B-A)=0, Delete (A-B), Group Timer=GMI",
		"INCLUDE(a b)", "IS_EX(b c)", "EXCLUDE[270](b:100 | c)", ""},
	{"EXCLUDE (X,Y), IS_IN (A) -> EXCLUDE (X+A,Y-A), (A)=GMI",
		"EXCLUDE(a b | m n)", "IS_IN(b m z)", "EXCLUDE[50](a:100 b:270 m:270 z:270 | n)", ""},
	{"EXCLUDE (X,Y), IS_EX (A) -> EXCLUDE (A-Y,Y*A), (A-X-Y)=GMI, Delete (X-A), Delete (Y-A), Group Timer=GMI",
		"EXCLUDE(a b | m n)", "IS_EX(b m z)", "EXCLUDE[270](b:100 z:270 | m)", ""},

	// 6.4.2, reception of filter-mode-change and source-list-change records.
	{"INCLUDE (A), ALLOW (B) -> INCLUDE (A+B), (B)=GMI",
		"INCLUDE(a b)", "ALLOW(b c)", "INCLUDE(a:100 b:270 c:270)", ""},
	{"INCLUDE (A), BLOCK (B) -> INCLUDE (A), Send Q(G,A*B)",
		"INCLUDE(a b)", "BLOCK(b c)", "INCLUDE(a:100 b:2)", "Q(G,b)"},
	{"INCLUDE (A), TO_EX (B) -> EXCLUDE (A*B,B-A), (B-A)=0, Delete (A-B), Send Q(G,A*B), Group Timer=GMI",
		"INCLUDE(a b)", "TO_EX(b c)", "EXCLUDE[270](b:2 | c)", "Q(G,b)"},
	{"INCLUDE (A), TO_IN (B) -> INCLUDE (A+B), (B)=GMI, Send Q(G,A-B)",
		"INCLUDE(a b)", "TO_IN(b c)", "INCLUDE(a:2 b:270 c:270)", "Q(G,a)"},
	{"EXCLUDE (X,Y), ALLOW (A) -> EXCLUDE (X+A,Y-A), (A)=GMI",
		"EXCLUDE(a b | m n)", "ALLOW(b m z)", "EXCLUDE[50](a:100 b:270 m:270 z:270 | n)", ""},
	{"EXCLUDE (X,Y), BLOCK (A) -> EXCLUDE (X+(A-Y),Y), (A-X-Y)=Group Timer, Send Q(G,A-Y)",
		"EXCLUDE(a b | m n)", "BLOCK(b m z)", "EXCLUDE[50](a:100 b:2 z:2 | m n)", "Q(G,b z)"},
	{"EXCLUDE (X,Y), TO_EX (A) -> EXCLUDE (A-Y,Y*A), (A-X-Y)=Group Timer, Delete (X-A), Delete (Y-A), Send Q(G,A-Y), Group Timer=GMI",
		"EXCLUDE(a b | m n)", "TO_EX(b m z)", "EXCLUDE[270](b:2 z:2 | m)", "Q(G,b z)"},
	{"EXCLUDE (X,Y), TO_IN (A) -> EXCLUDE (X+A,Y-A), (A)=GMI, Send Q(G,X-A), Send Q(G)",
		"EXCLUDE(a b | m n)", "TO_IN(b m z)", "EXCLUDE[2](a:2 b:270 m:270 z:270 | n)", "Q(G) Q(G,a)"},

	// The same with the lists that hosts send most: none.
	{"INCLUDE (A), IS_EX () -> EXCLUDE (,)", "INCLUDE(a b)", "IS_EX()", "EXCLUDE[270]( | )", ""},
	{"INCLUDE (A), TO_EX () -> EXCLUDE (,)", "INCLUDE(a b)", "TO_EX()", "EXCLUDE[270]( | )", ""},
	{"INCLUDE (A), TO_IN () -> INCLUDE (A), Send Q(G,A)", "INCLUDE(a b)", "TO_IN()", "INCLUDE(a:2 b:2)", "Q(G,a b)"},
	{"INCLUDE (A), ALLOW () changes nothing", "INCLUDE(a b)", "ALLOW()", "INCLUDE(a:100 b:100)", ""},
	{"INCLUDE (A), BLOCK () changes nothing", "INCLUDE(a b)", "BLOCK()", "INCLUDE(a:100 b:100)", ""},
	{"EXCLUDE (X,Y), IS_EX () -> EXCLUDE (,)", "EXCLUDE(a | m)", "IS_EX()", "EXCLUDE[270]( | )", ""},
	{"EXCLUDE (X,Y), TO_EX () -> EXCLUDE (,)", "EXCLUDE(a | m)", "TO_EX()", "EXCLUDE[270]( | )", ""},
	{"EXCLUDE (X,Y), TO_IN () -> EXCLUDE (X,Y), Send Q(G,X), Send Q(G)", "EXCLUDE(a | m)", "TO_IN()", "EXCLUDE[2](a:2 | m)", "Q(G) Q(G,a)"},
	{"EXCLUDE (X,Y), ALLOW () changes nothing", "EXCLUDE(a | m)", "ALLOW()", "EXCLUDE[50](a:100 | m)", ""},
	{"EXCLUDE (X,Y), BLOCK () changes nothing", "EXCLUDE(a | m)", "BLOCK()", "EXCLUDE[50](a:100 | m)", ""},

	// The one deviation: the RFC has IS_IN () change nothing.
	{"deviation: INCLUDE (A), IS_IN () is TO_IN ()", "INCLUDE(a b)", "IS_IN()", "INCLUDE(a:2 b:2)", "Q(G,a b)"},
	{"deviation: EXCLUDE (X,Y), IS_IN () is TO_IN ()", "EXCLUDE(a | m)", "IS_IN()", "EXCLUDE[2](a:2 | m)", "Q(G) Q(G,a)"},

	// A member that is not there is INCLUDE ().
	{"INCLUDE (), IS_IN (B)", "INCLUDE()", "IS_IN(a)", "INCLUDE(a:270)", ""},
	{"INCLUDE (), IS_EX (B)", "INCLUDE()", "IS_EX(a)", "EXCLUDE[270]( | a)", ""},
	{"INCLUDE (), ALLOW (B)", "INCLUDE()", "ALLOW(a)", "INCLUDE(a:270)", ""},
	{"INCLUDE (), BLOCK (B)", "INCLUDE()", "BLOCK(a)", "INCLUDE()", ""},
	{"INCLUDE (), TO_EX (B)", "INCLUDE()", "TO_EX(a)", "EXCLUDE[270]( | a)", ""},
	{"INCLUDE (), TO_IN (B)", "INCLUDE()", "TO_IN(a)", "INCLUDE(a:270)", ""},
	{"INCLUDE (), TO_IN ()", "INCLUDE()", "TO_IN()", "INCLUDE()", ""},
	{"INCLUDE (), IS_IN ()", "INCLUDE()", "IS_IN()", "INCLUDE()", ""},
}

func TestEveryCellOfTheRFCsTables(t *testing.T) {
	for _, family := range []string{"192.0.2.", "2001:db8::"} {
		for _, row := range rfcTables {
			t.Run(family+" "+row.row, func(t *testing.T) {
				w := newTableRig(family)
				w.set(row.state)
				w.report(t, row.report)
				require.Equal(t, row.want, w.String())
				require.Equal(t, row.queries, w.queries(t))
			})
		}
	}
}

// The tables must not depend on the order in which a host lists its sources,
// nor on a source that it lists twice.
func TestTheOrderOfAReportsListMeansNothing(t *testing.T) {
	w := newTableRig("192.0.2.")
	w.set("EXCLUDE(a b | m n)")
	w.report(t, "IS_EX(z m b z m)")
	require.Equal(t, "EXCLUDE[270](b:100 z:270 | m)", w.String())
}

// tableRig is a cache with one member of one group.
type tableRig struct {
	c      *Cache[string]
	g      Group
	family string
	sent   []string
}

func newTableRig(family string) *tableRig {
	w := &tableRig{family: family, g: Group{Addr: netip.MustParseAddr("239.1.1.1")}}
	if strings.Contains(family, ":") {
		w.g.Addr = netip.MustParseAddr("ff05::1")
	}
	w.c = New(Config[string]{Query: func(_ context.Context, q QueryRequest[string]) error {
		name := "Q(G"
		for i, s := range q.Sources {
			name += map[bool]string{true: ",", false: " "}[i == 0] + w.letter(s)
		}
		w.sent = append(w.sent, name+")")
		return nil
	}})
	w.c.Advance(time.Unix(0, 0))
	return w
}

func (w *tableRig) addr(letter string) netip.Addr {
	b := netip.MustParseAddr(w.family + "0").AsSlice()
	b[len(b)-1] = letter[0] - 'a' + 1
	a, _ := netip.AddrFromSlice(b)
	return a
}

func (w *tableRig) letter(a netip.Addr) string {
	b := a.AsSlice()
	return string(rune('a' + b[len(b)-1] - 1))
}

const second = instant(time.Second)

// set makes the record be in a state like "EXCLUDE(a b | m n)".
func (w *tableRig) set(state string) {
	mode, rest, _ := strings.Cut(strings.TrimSuffix(state, ")"), "(")
	x, y, _ := strings.Cut(rest, "|")
	f := filterState{timer: stopped}
	if mode == "EXCLUDE" {
		f.timer = 50 * second
	}
	for _, s := range strings.Fields(x) {
		f.sources = append(f.sources, source{addr: w.addr(s), deadline: 100 * second})
	}
	for _, s := range strings.Fields(y) {
		f.sources = append(f.sources, source{addr: w.addr(s), deadline: stopped})
	}
	if !f.none() {
		w.c.adopt(w.c.newRecord(&Report[string]{Group: w.g, Member: "m"}, 0), f, cause{})
	}
}

var kindNames = map[string]Kind{
	"IS_IN": ModeIsInclude, "IS_EX": ModeIsExclude, "TO_IN": ChangeToInclude,
	"TO_EX": ChangeToExclude, "ALLOW": AllowNewSources, "BLOCK": BlockOldSources,
}

// report applies one like "TO_IN(a b)" at the time 0.
func (w *tableRig) report(t *testing.T, report string) {
	name, rest, _ := strings.Cut(strings.TrimSuffix(report, ")"), "(")
	r := Report[string]{Group: w.g, Member: "m", Kind: kindNames[name], At: time.Unix(0, 0)}
	for _, s := range strings.Fields(rest) {
		r.Sources = append(r.Sources, w.addr(s))
	}
	require.NoError(t, w.c.Apply(r))
}

// String is the record's state with its timers.
func (w *tableRig) String() string {
	rec := w.c.find(&Report[string]{Group: w.g, Member: "m"})
	if rec == nil {
		return "INCLUDE()"
	}
	f := rec.view()
	var x, y []string
	for _, s := range f.sources {
		if s.deadline == stopped {
			y = append(y, w.letter(s.addr))
		} else {
			x = append(x, fmt.Sprintf("%s:%d", w.letter(s.addr), s.deadline/second))
		}
	}
	if !f.exclude() {
		return "INCLUDE(" + strings.Join(x, " ") + ")"
	}
	return fmt.Sprintf("EXCLUDE[%d](%s | %s)", f.timer/second, strings.Join(x, " "), strings.Join(y, " "))
}

// queries are those that go out at the time 0.
func (w *tableRig) queries(t *testing.T) string {
	require.NoError(t, w.c.Flush(context.Background()))
	return strings.Join(w.sent, " ")
}
