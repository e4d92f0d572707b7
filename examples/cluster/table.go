package main

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/ofmcast/ofmcast/mcast"
)

// writeTable shows for each group what each of the nodes knows of it; of a nil node nothing.
func writeTable(out io.Writer, names []string, nodes map[string]*node) error {
	cells := map[mcast.Group]map[string]string{}
	for name, n := range nodes {
		for s := range n.cache.Groups() {
			if s.Len() == 0 {
				continue
			}
			if cells[s.Group()] == nil {
				cells[s.Group()] = map[string]string{}
			}
			cells[s.Group()][name] = members(s)
		}
	}
	var table bytes.Buffer // to be written at once, between other lines
	w := tabwriter.NewWriter(&table, 0, 0, 3, ' ', 0)
	fmt.Fprint(w, "  group")
	for _, name := range names {
		if nodes[name] == nil {
			name += " (dead)"
		}
		fmt.Fprint(w, "\t", name, " knows")
	}
	fmt.Fprintln(w)
	for _, g := range groupsOf(cells) {
		fmt.Fprint(w, "  ", g)
		for _, name := range names {
			fmt.Fprint(w, "\t", orDash(cells[g][name]))
		}
		fmt.Fprintln(w)
	}
	_ = w.Flush()
	_, err := table.WriteTo(out)
	return err
}

// members are the members of a group, with their filters where those are not everything.
func members(s mcast.State[member]) string {
	var all []string
	for m, f := range s.All() {
		text := m.String()
		if f.Mode() != mcast.Exclude || f.Len() > 0 {
			text += " " + f.String()
		}
		all = append(all, text)
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

func groupsOf(cells map[mcast.Group]map[string]string) (groups []mcast.Group) {
	for g := range cells {
		groups = append(groups, g)
	}
	slices.SortFunc(groups, mcast.Group.Compare)
	return groups
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
