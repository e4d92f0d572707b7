package mcast

import (
	"cmp"
	"slices"
	"time"
)

// RemoveMember takes a member that is gone, a port that was deleted, out of
// all its groups at once, whoever holds it there, and without a query. Reports
// about it that were made at that time or before, and are still on their way,
// will be refused; newer ones are about a new member. A zero time is that of
// the last Advance.
func (c *Cache[M]) RemoveMember(m M, at time.Time) {
	c.mu.Lock()
	defer c.unlock()
	removed := c.now
	if !at.IsZero() {
		removed = c.clock.in(at)
	}
	p := c.peers[m]
	c.removed.add(m, removed, c.cfg.Limits.Removals)
	if p == nil {
		return
	}
	for _, rec := range slices.Clone(p.records) {
		g, why := rec.group, cause{removed, Removed, rec.owner()}
		if left := c.end(rec); len(left) == 0 { // the others go too: one change a group
			c.publish(g, m, nil, why)
		}
	}
}

// RemoveOwner ends at once all that an owner holds, for instance because the
// remote node is gone. Members that others hold too stay, with what those
// want. It costs O(n log n) for n that the owner holds. Its time in an [Event] is
// now while Run is at work, and otherwise that of the last Advance.
func (c *Cache[M]) RemoveOwner(o Owner) {
	c.mu.Lock()
	defer c.unlock()
	now := c.moment()
	for _, rec := range c.heldBy(o) {
		c.finish(rec, cause{at: now, how: Removed})
	}
}

// heldBy are the records of an owner, in order.
func (c *Cache[M]) heldBy(o Owner) []*record[M] {
	if o != (Owner{}) {
		if held := c.owners[o]; held != nil {
			return c.inOrder(held.records)
		}
		return nil
	}
	var out []*record[M]
	for _, g := range c.sortedGroups() {
		for _, rec := range g.records() {
			if rec.owner() == o {
				out = append(out, rec)
			}
		}
	}
	return out
}

// inOrder are records, one for each member of a group, in the order of groups
// and then of joining.
func (c *Cache[M]) inOrder(records []*record[M]) []*record[M] {
	seq := func(rec *record[M]) uint32 { return rec.group.tree.get(c.env.hash, rec.member()).seq }
	out := slices.Clone(records)
	slices.SortFunc(out, func(a, b *record[M]) int {
		return cmp.Or(a.group.key.Compare(b.group.key), cmp.Compare(seq(a), seq(b)), a.owner().compare(b.owner()))
	})
	return out
}

// removals remember removed members for as long as a report about them may be
// on its way. What is forgotten raises the floor: any report that is not newer
// is refused, whoever it is about. That bounds the memory, and never lets a
// report of the past through.
type removals[M comparable] struct {
	at    map[M]instant
	queue []removal[M] // oldest first
	floor instant
}

type removal[M comparable] struct {
	member M
	at     instant
}

func (r *removals[M]) add(m M, at instant, limit int) {
	if old, ok := r.at[m]; ok && old >= at || m != m {
		return // a NaN is never a member: Apply refuses it
	}
	r.at[m] = at
	r.queue = append(r.queue, removal[M]{m, at})
	for len(r.queue) > max(limit, 1) {
		r.dropFirst()
	}
}

// covers says that a report of this time is refused.
func (r *removals[M]) covers(m M, at instant) bool {
	if at <= r.floor {
		return true
	}
	if len(r.at) == 0 {
		return false
	}
	removed, ok := r.at[m]
	return ok && at <= removed
}

// forget drops what is older than a membership interval: a report as old would
// have expired anyway.
func (r *removals[M]) forget(now instant, age time.Duration) {
	for len(r.queue) > 0 && r.queue[0].at.after(age) <= now {
		r.dropFirst()
	}
}

func (r *removals[M]) dropFirst() {
	first := r.queue[0]
	r.queue[0] = removal[M]{}
	r.queue = r.queue[1:]
	r.floor = max(r.floor, first.at)
	if r.at[first.member] == first.at {
		delete(r.at, first.member)
	}
}
