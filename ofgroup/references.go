package ofgroup

import (
	"maps"
	"slices"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// waves sorts groups so that each comes in a later wave than those that it sends packets to
// or watches. Of a loop, the group that is reached first comes last. Within a wave the IDs
// ascend.
func waves(groups map[ID]Group) [][]ID {
	d := depths{groups: groups, of: make(map[ID]int, len(groups))}
	var all [][]ID
	for _, id := range slices.Sorted(maps.Keys(groups)) {
		at := d.visit(id)
		for len(all) <= at {
			all = append(all, nil)
		}
		all[at] = append(all[at], id)
	}
	return all
}

// depths are the lengths of the longest chains of groups that start at a group.
type depths struct {
	groups map[ID]Group
	of     map[ID]int
}

func (d depths) visit(id ID) int {
	if depth, done := d.of[id]; done {
		return depth
	}
	d.of[id] = -1 // for whom comes back here around a loop
	depth := 0
	for to := range d.groups[id].references {
		if _, ours := d.groups[to]; ours {
			depth = max(depth, d.visit(to)+1)
		}
	}
	d.of[id] = depth
	return depth
}

// references yields the groups that the buckets send packets to or watch, as often as they
// are named.
func (g Group) references(yield func(ID) bool) {
	for _, b := range g.buckets.each {
		if b.has&hasWatchGroup != 0 && !yield(b.oddity().watchGroup) {
			return
		}
		if !actionReferences(b.actions, 0, yield) {
			return
		}
	}
}

// actionReferences is references for a list of actions, and what is within them.
func actionReferences(actions string, depth int, yield func(ID) bool) bool {
	for a := range eachAction(actions) {
		if id, ok := groupOf(a); ok && !yield(id) {
			return false
		}
		if !actionReferences(inner(a, depth), depth+1, yield) {
			return false
		}
	}
	return true
}

// groupOf is the group that an action sends the packet to.
func groupOf(action string) (ID, bool) {
	if be16(action) != openflow.ActionGroup {
		return 0, false
	}
	return ID(be32(action[offActionBody:])), true
}
