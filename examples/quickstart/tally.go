package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// tally counts, and remembers each group as it was when it had the most members.
type tally struct {
	hosts     *hosts
	packets   int
	joins     int
	ends      int
	refilters int
	queries   int
	refused   int
	groupMods int
	largest   map[mcast.Group][]ofgroup.Port

	unprogrammed int // changes that no switch can hold
}

func newTally(h *hosts) *tally {
	return &tally{hosts: h, largest: make(map[mcast.Group][]ofgroup.Port)}
}

func (t *tally) change(k mcast.ChangeKind) {
	switch k {
	case mcast.Joined:
		t.joins++
	case mcast.Left:
		t.ends++
	case mcast.Refiltered:
		t.refilters++
	}
}

// state keeps the members of a group that never had so many before.
func (t *tally) state(s mcast.State[ofgroup.Port]) {
	if s.Len() > len(t.largest[s.Group()]) {
		t.largest[s.Group()] = slices.Collect(s.Members())
	}
}

// groups are the groups that ever had a member, in order of their addresses.
func (t *tally) groups() []mcast.Group {
	return slices.SortedFunc(maps.Keys(t.largest), func(a, b mcast.Group) int {
		if c := a.Addr.Compare(b.Addr); c != 0 {
			return c
		}
		return a.Compare(b)
	})
}

// members are the names of the hosts that were in a group at its largest, in order.
func (t *tally) members(g mcast.Group) []string {
	var names []string
	for _, p := range slices.SortedFunc(slices.Values(t.largest[g]), t.hosts.compare) {
		names = append(names, t.hosts.name(p))
	}
	return names
}

// jsonResult is the object that -json prints.
type jsonResult struct {
	Packets           int         `json:"packets"`            // frames in the file
	MembershipChanges int         `json:"membership_changes"` // joins and ends, not filter changes
	GroupMods         int         `json:"group_mods"`         // as the switch counted them
	Groups            []jsonGroup `json:"groups"`             // that ever had a member
}

type jsonGroup struct {
	Group   string   `json:"group"`
	VLAN    uint32   `json:"vlan,omitempty"`
	Members []string `json:"members"` // at the first moment of the largest membership
}

func (t *tally) writeJSON(out io.Writer) error {
	result := jsonResult{
		Packets: t.packets, MembershipChanges: t.joins + t.ends, GroupMods: t.groupMods,
		Groups: []jsonGroup{},
	}
	for _, g := range t.groups() {
		result.Groups = append(result.Groups, jsonGroup{Group: g.Addr.String(), VLAN: g.Segment, Members: t.members(g)})
	}
	return json.NewEncoder(out).Encode(result)
}

// writeText prints the table of groups and the counters.
func (t *tally) writeText(out io.Writer) error {
	fmt.Fprintf(out, "\n%-21s %7s  %s\n", "group", "at most", "members then")
	for _, g := range t.groups() {
		names := t.members(g)
		fmt.Fprintf(out, "%-21v %7d  %s\n", g, len(names), shorten(names))
	}
	_, err := fmt.Fprintf(out, "\n%d packets: %d joins and %d ends, %d filter changes, %d last-member queries\n%d membership changes, %d GROUP_MODs\n",
		t.packets, t.joins, t.ends, t.refilters, t.queries, t.joins+t.ends, t.groupMods)
	return err
}

// shorten names the first hosts and counts the others.
func shorten(names []string) string {
	const most = 6
	if len(names) <= most {
		return fmt.Sprint(names)
	}
	return fmt.Sprintf("%v and %d more", names[:most], len(names)-most)
}
