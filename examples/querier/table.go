package main

import (
	"fmt"
	"net/netip"
	"strings"
	"time"
)

// table writes a snapshot as lines of at most width characters, and no more than height of them; 0 is
// no limit. The lines are stable: they move only when groups or hosts come and go.
type table struct {
	iface         string
	version       uint
	width, height int
	paint         bool
}

// Colours of a terminal (ECMA-48).
const (
	bold   = "1"
	dim    = "2"
	yellow = "33"
	red    = "31"
	green  = "32"
)

// lines are the head, the groups, and as many of the latest events as there is room for.
func (t *table) lines(s snapshot, up bool, recent []event) []string {
	out := append(t.head(s, up), "")
	rows := t.rows(s)
	rest := len(recent)
	if t.height > 0 {
		room := max(t.height-len(out), 1)
		if len(rows) > room {
			hidden := len(rows) - room + 1
			rows = append(rows[:room-1], t.colour(dim, fmt.Sprintf("… %d more", hidden)))
		}
		rest = min(rest, max(room-len(rows)-2, 0))
	}
	out = append(out, rows...)
	if rest > 0 {
		out = append(out, "", t.colour(bold, "RECENTLY"))
		for _, e := range recent[len(recent)-rest:] {
			out = append(out, line(e))
		}
	}
	for i := range out {
		out[i] = t.cut(out[i])
	}
	return out
}

func (t *table) head(s snapshot, up bool) []string {
	who := fmt.Sprintf("%s  %s", t.colour(bold, t.iface), t.role(s, up))
	members, hosts := 0, map[string]bool{}
	for _, g := range s.Groups {
		members += len(g.Members)
		for _, m := range g.Members {
			hosts[m.MAC] = true
		}
	}
	what := fmt.Sprintf("%s, %s, %s · %s sent", count(len(s.Groups), "group"), count(len(hosts), "host"),
		count(members, "membership"), plural(s.Sent, "query", "queries"))
	if s.Failed > 0 {
		what += t.colour(red, fmt.Sprintf(", %d failed", s.Failed))
	}
	what += fmt.Sprintf(" · %s taken", plural(s.Reports, "record", "records"))
	if s.Refused > 0 {
		what += fmt.Sprintf(", %d refused", s.Refused)
	}
	return []string{who, what}
}

// role says who asks, and when that may change.
func (t *table) role(s snapshot, up bool) string {
	switch {
	case !up:
		return t.colour(red, "the interface is down")
	case !s.Elected.IsValid():
		return t.colour(red, "waiting for an IPv4 address")
	case s.Querier:
		return fmt.Sprintf("%s as %v · next query in %s · IGMPv%d every %v", t.colour(green, "querier"), s.Elected, short(s.due),
			t.version, s.timing.QI)
	}
	return fmt.Sprintf("%s %v is the querier · we take over in %s unless it asks", t.colour(yellow, "listening"), s.Elected, short(s.due))
}

// The columns. FILTER is as wide as what is in it, up to where the line ends.
const rowFormat = "%-15s  %-15s  %-4s  %8s  %8s  %s"

func (t *table) rows(s snapshot) []string {
	rows := []string{t.colour(bold, fmt.Sprintf(rowFormat, "GROUP", "HOST", "IGMP", "AGE", "LEFT", "FILTER"))}
	for _, g := range s.Groups {
		name := g.Group.String()
		for _, m := range g.Members {
			row := fmt.Sprintf(rowFormat, name, address(m.Host), fmt.Sprintf("v%d", m.Version), short(seconds(m.Age)),
				short(seconds(m.Left)), m.filter)
			if m.Leaving {
				row = t.colour(yellow, row)
			}
			rows, name = append(rows, row), ""
		}
	}
	if len(s.Groups) == 0 {
		rows = append(rows, t.colour(dim, "nobody has joined a group"))
	}
	return rows
}

// line is an event in words.
func line(e event) string {
	when := e.at.Format("15:04:05")
	switch e.Event {
	case "started":
		return fmt.Sprintf("%s  %-10s  on %s, IGMPv%d every %v", when, e.Event, e.Interface, e.Version, seconds(e.Interval))
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

func count(n int, what string) string { return plural(uint64(n), what, what+"s") }

func plural(n uint64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// short is a duration in whole seconds, in the two units that matter.
func short(d time.Duration) string {
	d = d.Round(time.Second)
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", d/time.Minute, d%time.Minute/time.Second)
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
	}
	return fmt.Sprintf("%dd%02dh", d/(24*time.Hour), d%(24*time.Hour)/time.Hour)
}

func (t *table) colour(how, s string) string {
	if !t.paint {
		return s
	}
	return "\x1b[" + how + "m" + s + "\x1b[0m"
}

// cut keeps a line on one line of the terminal. Colours take no room.
func (t *table) cut(s string) string {
	if t.width <= 0 {
		return s
	}
	var out strings.Builder
	shown, escape := 0, false
	for _, r := range s {
		switch {
		case escape:
			escape = r != 'm'
		case r == '\x1b':
			escape = true
		case shown == t.width:
			continue
		default:
			shown++
			if shown == t.width && visible(s) > t.width {
				r = '…'
			}
		}
		out.WriteRune(r)
	}
	return out.String()
}

// visible is how many characters of s are shown.
func visible(s string) int {
	n, escape := 0, false
	for _, r := range s {
		if !escape && r != '\x1b' {
			n++
		}
		escape = r == '\x1b' || escape && r != 'm'
	}
	return n
}
