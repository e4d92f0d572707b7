package main

import (
	"fmt"

	"github.com/ofmcast/ofmcast/examples/internal/screen"
)

// table writes a snapshot as lines of at most width characters, and no more than height of them; 0 is no limit. The lines
// are stable: they move only when groups, members or streams come and go.
type table struct {
	width, height int
	paint         screen.Paint
}

// lines are the head, the groups, the streams, and as many of the latest events as there is room for.
func (t *table) lines(s snapshot, recent []event) []string {
	out := append(t.head(s), "")
	groups, routes := t.groups(s), append([]string{""}, t.routes(s)...)
	rest := len(recent)
	if t.height > 0 {
		room := max(t.height-len(out), 0)
		// What is in few lines leaves the rest of its half to the other.
		half := max(room/2, room-len(routes))
		groups = t.shorten(groups, half)
		routes = t.shorten(routes, room-len(groups))
		rest = min(rest, max(room-len(groups)-len(routes)-2, 0))
	}
	out = append(append(out, groups...), routes...)
	if rest > 0 {
		out = append(out, "", t.paint.Colour(screen.Bold, "RECENTLY"))
		for _, e := range recent[len(recent)-rest:] {
			out = append(out, line(e))
		}
	}
	if t.height > 0 {
		out = out[:min(len(out), t.height)]
	}
	for i := range out {
		out[i] = screen.Cut(out[i], t.width)
	}
	return out
}

// shorten says how many rows there is no room for.
func (t *table) shorten(rows []string, room int) []string {
	if len(rows) <= room {
		return rows
	}
	if room < 1 {
		return nil
	}
	hidden := len(rows) - room + 1
	return append(rows[:room-1:room-1], t.paint.Colour(screen.Dim, fmt.Sprintf("… %d more", hidden)))
}

func (t *table) head(s snapshot) []string {
	var lines []string
	for _, i := range s.Interfaces {
		lines = append(lines, fmt.Sprintf("%s  %s", t.paint.Colour(screen.Bold, i.Interface), t.role(i)))
	}
	members := 0
	for _, g := range s.Groups {
		members += len(g.Members)
	}
	what := fmt.Sprintf("%s, %s · %s outside · %s · %s sent", screen.Count(len(s.Groups), "group"), screen.Count(members, "member"),
		screen.Count(s.Joins, "join"), screen.Count(len(s.Routes), "stream"), screen.Plural(s.Sent, "query", "queries"))
	if s.Failed > 0 {
		what += t.paint.Colour(screen.Red, fmt.Sprintf(", %d failed", s.Failed))
	}
	what += fmt.Sprintf(" · %s taken", screen.Plural(s.Reports, "record", "records"))
	if s.Refused > 0 {
		what += fmt.Sprintf(", %d refused", s.Refused)
	}
	lines = append(lines, what)
	if s.failing != nil {
		lines = append(lines, t.paint.Colour(screen.Red, s.failing.Error()))
	}
	return lines
}

// role says who asks on an interface, and forwards there.
func (t *table) role(i interfaceRow) string {
	switch {
	case !i.Up:
		return t.paint.Colour(screen.Red, "down, or not there")
	case i.Outside:
		return "outside"
	case !i.Elected.IsValid():
		return t.paint.Colour(screen.Red, "waiting for an IPv4 address")
	case i.Querier:
		return fmt.Sprintf("%s as %v", t.paint.Colour(screen.Green, "querier"), i.Elected)
	}
	return fmt.Sprintf("%s %v is the querier, and forwards", t.paint.Colour(screen.Yellow, "listening"), i.Elected)
}

// The columns. The last is as wide as what is in it, up to where the line ends.
const (
	groupFormat = "%-15s  %-15s  %8s  %8s  %s"
	routeFormat = "%-15s  %-15s  %12s  %9s  %s"
)

func (t *table) groups(s snapshot) []string {
	rows := []string{t.paint.Colour(screen.Bold, fmt.Sprintf(groupFormat, "GROUP", "INSIDE", "AGE", "LEFT", "WANTED"))}
	for _, g := range s.Groups {
		name := g.Group.String()
		for _, m := range g.Members {
			row := fmt.Sprintf(groupFormat, name, m.Interface, screen.Short(screen.Seconds(m.Age)),
				screen.Short(screen.Seconds(m.Left)), m.filter)
			if m.Leaving {
				row = t.paint.Colour(screen.Yellow, row)
			}
			rows, name = append(rows, row), ""
		}
	}
	if len(s.Groups) == 0 {
		rows = append(rows, t.paint.Colour(screen.Dim, "nobody inside has joined a group"))
	}
	return rows
}

func (t *table) routes(s snapshot) []string {
	rows := []string{t.paint.Colour(screen.Bold, fmt.Sprintf(routeFormat, "SOURCE", "GROUP", "PACKETS", "PACKETS/S", "WAY"))}
	for _, r := range s.Routes {
		row := fmt.Sprintf(routeFormat, r.Source, r.Group, fmt.Sprint(r.Packets), fmt.Sprintf("%.0f", r.Rate), r.In+" → "+goes(r.Out))
		if len(r.Out) == 0 {
			row = t.paint.Colour(screen.Dim, row)
		}
		rows = append(rows, row)
	}
	if len(s.Routes) == 0 {
		rows = append(rows, t.paint.Colour(screen.Dim, "no streams"))
	}
	return rows
}
