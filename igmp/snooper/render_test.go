package snooper

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// told is what a frame said, in a line: its records, its query, and whether its port is a router port now.
func told(s *Snooper, r Result) string {
	var parts []string
	for _, rec := range r.Records {
		parts = append(parts, fmt.Sprintf("v%d %v %v%s", rec.Version, rec.Kind, rec.Group, list(rec.Sources)))
	}
	if q := r.Query; q != nil {
		parts = append(parts, queryLine(q))
	}
	if slices.Contains(routerPorts(s, r.VLAN), 1) {
		parts = append(parts, "router")
	}
	line := strings.Join(shorten(parts), "; ")
	if r.VLAN != 0 {
		line = strings.TrimSpace(line + " in " + r.VLAN.String())
	}
	return line
}

func queryLine(q *Query) string {
	line := fmt.Sprintf("v%d query", q.Version)
	if !q.General() {
		line += " " + q.Group.String() + list(q.Sources)
	}
	if q.Proxy() {
		line += " by proxy"
	}
	return line
}

func list(sources []netip.Addr) string {
	var all []string
	for _, a := range sources {
		all = append(all, a.String())
	}
	return "{" + strings.Join(shorten(all), " ") + "}"
}

// shorten keeps six, or the ends of more.
func shorten(all []string) []string {
	if n := len(all); n > 6 {
		return []string{all[0], fmt.Sprintf("... %d ...", n), all[n-1]}
	}
	return all
}
