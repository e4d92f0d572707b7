package main

import (
	"fmt"
	"net/netip"

	"github.com/ofmcast/ofmcast/examples/internal/screen"
)

// table writes a snapshot as lines of at most width characters, and no more than height of them; 0 is
// no limit. The lines are stable: they move only when groups or hosts come and go.
type table struct {
	iface         string
	version       uint
	width, height int
	paint         screen.Paint
}

// lines are the head, the groups, and as many of the latest events as there is room for.
func (t *table) lines(s snapshot, up bool, recent []event) []string {
	out := append(t.head(s, up), "")
	rows := t.rows(s)
	rest := len(recent)
	if t.height > 0 {
		room := max(t.height-len(out), 1)
		if len(rows) > room {
			hidden := len(rows) - room + 1
			rows = append(rows[:room-1], t.paint.Colour(screen.Dim, fmt.Sprintf("… %d more", hidden)))
		}
		rest = min(rest, max(room-len(rows)-2, 0))
	}
	out = append(out, rows...)
	if rest > 0 {
		out = append(out, "", t.paint.Colour(screen.Bold, "RECENTLY"))
		for _, e := range recent[len(recent)-rest:] {
			out = append(out, line(e))
		}
	}
	for i := range out {
		out[i] = screen.Cut(out[i], t.width)
	}
	return out
}

func (t *table) head(s snapshot, up bool) []string {
	who := fmt.Sprintf("%s  %s", t.paint.Colour(screen.Bold, t.iface), t.role(s, up))
	members, hosts := 0, map[string]bool{}
	for _, g := range s.Groups {
		members += len(g.Members)
		for _, m := range g.Members {
			hosts[m.MAC] = true
		}
	}
	what := fmt.Sprintf("%s, %s, %s · %s sent", screen.Count(len(s.Groups), "group"), screen.Count(len(hosts), "host"),
		screen.Count(members, "membership"), screen.Plural(s.Sent, "query", "queries"))
	if s.Failed > 0 {
		what += t.paint.Colour(screen.Red, fmt.Sprintf(", %d failed", s.Failed))
	}
	what += fmt.Sprintf(" · %s taken", screen.Plural(s.Reports, "record", "records"))
	if s.Refused > 0 {
		what += fmt.Sprintf(", %d refused", s.Refused)
	}
	return []string{who, what}
}

// role says who asks, and when that may change.
func (t *table) role(s snapshot, up bool) string {
	switch {
	case !up:
		return t.paint.Colour(screen.Red, "the interface is down")
	case !s.Elected.IsValid():
		return t.paint.Colour(screen.Red, "waiting for an IPv4 address")
	case s.Querier:
		return fmt.Sprintf("%s as %v · next query in %s · IGMPv%d every %v", t.paint.Colour(screen.Green, "querier"), s.Elected, screen.Short(s.due),
			t.version, s.timing.QI)
	}
	return fmt.Sprintf("%s %v is the querier · we take over in %s unless it asks", t.paint.Colour(screen.Yellow, "listening"), s.Elected, screen.Short(s.due))
}

// The columns. FILTER is as wide as what is in it, up to where the line ends.
const rowFormat = "%-15s  %-15s  %-4s  %8s  %8s  %s"

func (t *table) rows(s snapshot) []string {
	rows := []string{t.paint.Colour(screen.Bold, fmt.Sprintf(rowFormat, "GROUP", "HOST", "IGMP", "AGE", "LEFT", "FILTER"))}
	for _, g := range s.Groups {
		name := g.Group.String()
		for _, m := range g.Members {
			row := fmt.Sprintf(rowFormat, name, address(m.Host), fmt.Sprintf("v%d", m.Version), screen.Short(screen.Seconds(m.Age)),
				screen.Short(screen.Seconds(m.Left)), m.filter)
			if m.Leaving {
				row = t.paint.Colour(screen.Yellow, row)
			}
			rows, name = append(rows, row), ""
		}
	}
	if len(s.Groups) == 0 {
		rows = append(rows, t.paint.Colour(screen.Dim, "nobody has joined a group"))
	}
	return rows
}

// line is an event in words.
func line(e event) string {
	when := e.at.Format("15:04:05")
	switch e.Event {
	case "started":
		return fmt.Sprintf("%s  %-10s  on %s, IGMPv%d every %v", when, e.Event, e.Interface, e.Version, screen.Seconds(e.Interval))
	case "querier":
		if *e.Querier {
			return fmt.Sprintf("%s  %-10s  we are, as %v", when, e.Event, e.Elected)
		}
		return fmt.Sprintf("%s  %-10s  %v is", when, e.Event, e.Elected)
	case "interface":
		return fmt.Sprintf("%s  %-10s  %s", when, e.Event, map[bool]string{true: "up", false: "down"}[*e.Up])
	}
	return fmt.Sprintf("%s  %-10s  %-15v  %-15s  v%d  %v", when, e.Event, e.Group, address(e.Host), e.Version, e.filter)
}

func address(a netip.Addr) string {
	if !a.IsValid() {
		return "?"
	}
	return a.String()
}
