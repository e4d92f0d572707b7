package mcast

import "iter"

// Lookup returns a group as it is after the last Advance and all reports since,
// and whether it has members.
func (c *Cache[M]) Lookup(g Group) (State[M], bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	g = g.plain()
	found := c.groups[g]
	if found == nil {
		return State[M]{group: g, env: c.env}, false
	}
	return c.stateOf(found), found.tree.n > 0
}

// Groups are all groups that have members, each as it is when the range
// begins, in the order of [Group.Compare]. No lock is held while they are
// ranged over.
func (c *Cache[M]) Groups() iter.Seq[State[M]] {
	return func(yield func(State[M]) bool) {
		for _, s := range c.states() {
			if !yield(s) {
				return
			}
		}
	}
}

func (c *Cache[M]) states() []State[M] {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []State[M]
	for _, g := range c.sortedGroups() {
		if g.tree.n > 0 {
			out = append(out, c.stateOf(g))
		}
	}
	return out
}

func (c *Cache[M]) stateOf(g *group[M]) State[M] {
	return State[M]{group: g.key, cur: g.snapshot(), env: c.env}
}
