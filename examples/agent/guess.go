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
	byGroup := make(map[mcast.Group]map[netip.Addr][]members.Member)
	for _, row := range rows {
		if byGroup[row.Group] == nil {
			byGroup[row.Group] = make(map[netip.Addr][]members.Member)
		}
		g, _ := table.Lookup(row.ID)
		byGroup[row.Group][row.Source] = membersOf(g)
	}
	var s mcast.Snapshot[members.Member]
	for _, g := range slices.SortedFunc(maps.Keys(byGroup), mcast.Group.Compare) {
		s.Memberships = append(s.Memberships, wishes(g, byGroup[g])...)
	}
	return s
}

// membersOf are those that a group sends packets to.
func membersOf(g ofgroup.Group) []members.Member {
	var all []members.Member
	for b := range g.Buckets() {
		for action := range b.Actions() {
			if m, ok := reachedBy(action); ok {
				all = append(all, m)
			}
		}
	}
	return all
}

// reachedBy is the member that an action of a bucket decides on: the port of its output, which tags come
// before, or the node at the end of a tunnel.
func reachedBy(action ofgroup.Action) (members.Member, bool) {
	if p, ok := action.AsOutput(); ok {
		return members.Port(p), true
	}
	if f, value, ok := action.AsSet(); ok && f == ofgroup.TunDst {
		node, ok := netip.AddrFromSlice(value)
		return members.Node(node), ok
	}
	return members.Member{}, false
}

// wishes says what members of a group want whose packets from these sources, with the zero Addr those of
// all others, go to them. Who gets those of all others wants all sources but the named ones that it
// does not get.
func wishes(g mcast.Group, to map[netip.Addr][]members.Member) []mcast.Membership[members.Member] {
	reached := slices.Concat(slices.Collect(maps.Values(to))...)
	slices.SortFunc(reached, members.Compare)
	var out []mcast.Membership[members.Member]
	for _, member := range slices.Compact(reached) {
		m := mcast.Membership[members.Member]{Group: g, Member: member, Owner: ownerOf(member), Mode: mcast.Include}
		if slices.Contains(to[netip.Addr{}], member) {
			m.Mode, m.Left = mcast.Exclude, left
		}
		for _, source := range slices.SortedFunc(maps.Keys(to), netip.Addr.Compare) {
			gets := slices.Contains(to[source], member)
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
