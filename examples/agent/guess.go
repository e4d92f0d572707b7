package main

import (
	"maps"
	"net/netip"
	"slices"
	"time"

	"github.com/ofmcast/ofmcast/examples/agent/members"
	"github.com/ofmcast/ofmcast/examples/agent/ofsink"
	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// The state file is a little older than what the switch holds: whoever joined just before the crash is
// on the switch alone. So what the switch sends where is read as well. It says less than the file, which
// has timers and versions, and counts where the file says nothing.

// left is what the timers of such memberships have left: as long as can be, which mcast knows.
const left = 24 * time.Hour

// memberships are those that explain what the groups of these rows do.
func memberships(rows []ofsink.Row, table *ofgroup.Table) mcast.Snapshot[members.Member] {
	byGroup := make(map[mcast.Group]map[netip.Addr][]ofgroup.Port)
	for _, row := range rows {
		if byGroup[row.Group] == nil {
			byGroup[row.Group] = make(map[netip.Addr][]ofgroup.Port)
		}
		g, _ := table.Lookup(row.ID)
		byGroup[row.Group][row.Source] = outputsOf(g)
	}
	var s mcast.Snapshot[members.Member]
	for _, g := range slices.SortedFunc(maps.Keys(byGroup), mcast.Group.Compare) {
		s.Memberships = append(s.Memberships, wishes(g, byGroup[g])...)
	}
	return s
}

// outputsOf are the ports that a group sends packets to: the last action of a bucket says which, as tags
// come before.
func outputsOf(g ofgroup.Group) []ofgroup.Port {
	var ports []ofgroup.Port
	for b := range g.Buckets() {
		for action := range b.Actions() {
			if p, ok := action.AsOutput(); ok {
				ports = append(ports, p)
			}
		}
	}
	return ports
}

// wishes says what members of a group want that gets packets from these sources, with the zero Addr for
// all others, to these ports. Who gets those of all others wants all sources but the named ones that it
// does not get.
func wishes(g mcast.Group, to map[netip.Addr][]ofgroup.Port) []mcast.Membership[members.Member] {
	ports := slices.Concat(slices.Collect(maps.Values(to))...)
	slices.Sort(ports)
	var out []mcast.Membership[members.Member]
	for _, p := range slices.Compact(ports) {
		m := mcast.Membership[members.Member]{Group: g, Member: members.Port(p), Mode: mcast.Include}
		if slices.Contains(to[netip.Addr{}], p) {
			m.Mode, m.Left = mcast.Exclude, left
		}
		for _, source := range slices.SortedFunc(maps.Keys(to), netip.Addr.Compare) {
			gets := slices.Contains(to[source], p)
			switch {
			case !source.IsValid():
			case m.Mode == mcast.Include && gets:
				m.Sources = append(m.Sources, mcast.SourceTimer{Addr: source, Left: left})
			case m.Mode == mcast.Exclude && !gets:
				m.Sources = append(m.Sources, mcast.SourceTimer{Addr: source})
			}
		}
		out = append(out, m)
	}
	return out
}
