package mcast

import (
	"iter"
	"slices"
)

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
	out := c.statesNow()
	slices.SortFunc(out, func(a, b State[M]) int { return a.group.Compare(b.group) }) // the lock is free again
	return out
}

func (c *Cache[M]) statesNow() []State[M] {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make([]State[M], 0, len(c.groups))
	for _, g := range c.groups {
		if g.tree.n > 0 {
			out = append(out, c.stateOf(g))
		}
	}
	return out
}

func (c *Cache[M]) stateOf(g *group[M]) State[M] {
	return State[M]{group: g.key, cur: g.snapshot(), env: c.env}
}
