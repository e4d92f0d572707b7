package mcast

import (
	"maps"
	"slices"
)

// Snapshot is what a cache holds of memberships at one moment, to be restored
// in a later process. Sinks, removals, queries and configuration are not in
// it. It is plain data that owns its memory, and encodes itself in JSON.
type Snapshot[M comparable] struct {
	// Memberships are in the order of groups, and within one in the order in
	// which the members joined.
	Memberships []Membership[M]
}

// snapshotStep is how many groups are copied at a time.
const snapshotStep = 64

// Snapshot copies what the cache holds, as it is now while Run is at work, and
// otherwise at the last Advance. The cache is locked for some groups at a time:
// each group is as it was at one moment, and what comes to other groups
// meanwhile may be in it or not.
func (c *Cache[M]) Snapshot() Snapshot[M] {
	var s Snapshot[M]
	groups := c.groupsNow()
	slices.SortFunc(groups, func(a, b *group[M]) int { return a.key.Compare(b.key) })
	for len(groups) > 0 {
		n := min(len(groups), snapshotStep)
		s.Memberships = c.copyGroups(s.Memberships, groups[:n])
		groups = groups[n:]
	}
	return s
}

// groupsNow are the groups there are, in no order.
func (c *Cache[M]) groupsNow() []*group[M] {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Collect(maps.Values(c.groups))
}

func (c *Cache[M]) copyGroups(out []Membership[M], groups []*group[M]) []Membership[M] {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, g := range groups {
		out = c.memberships(out, g.records())
	}
	return out
}
