package mcast

import (
	"cmp"
	"slices"
)

// ending is how a membership ends.
type ending uint8

const (
	byExpiry ending = iota
	byLeave
	byRemoval
)

// adopt stores a record's new state and does what follows from it: publishing,
// counting, waking in time. It says whether the record goes on. left says that
// what has ended was lowered by a leave.
func (c *Cache[M]) adopt(rec *record[M], next filterState, left bool) bool {
	how := byExpiry
	if left {
		how = byLeave
	}
	if next.none() {
		c.finish(rec, how)
		return false
	}
	c.count.Sources += len(next.sources) - len(rec.view().sources)
	if rec.store(next) {
		c.publish(rec.group, rec.member(), rec.group.holders(rec), how)
	}
	c.reschedule(rec)
	return true
}

// finish ends a record, which nothing in the cache points at afterwards.
func (c *Cache[M]) finish(rec *record[M], how ending) {
	g, m := rec.group, rec.member()
	c.count.Memberships--
	c.count.Sources -= len(rec.view().sources)
	c.timers.remove(rec)
	if rec.x != nil {
		c.outbox.remove(rec)
	}
	p := c.peers[m]
	p.remove(rec)
	if len(p.records) == 0 {
		delete(c.peers, m)
	}
	holders := g.unshare(rec)
	rec.group, rec.x = nil, nil // a State may hold on to rec.entry
	c.publish(g, m, holders, how)
}

// publish makes the entry of a member what its holders together want, and
// tells the sinks when that is something they can see.
func (c *Cache[M]) publish(g *group[M], m M, holders []*record[M], how ending) {
	old := g.tree.get(c.env.hash, m)
	switch {
	case len(holders) == 0:
		g.tree = g.tree.remove(c.env.hash, m, g.nextEdit())
		c.count.ended(how)
	case old == nil:
		g.seq++
		rec := holders[0]
		rec.entry = entry[M]{member: m, seq: g.seq, filter: c.share(rec.view().filter()), live: rec}
		g.tree = g.tree.set(c.env.hash, &rec.entry, g.nextEdit())
		c.count.Members++
		c.count.Joins++
	default:
		filter := c.share(union(holders))
		seen := !filter.Equal(*old.filter)
		if seen || old.live != holders[0] {
			e := &entry[M]{member: m, seq: old.seq, filter: filter, live: holders[0]}
			g.tree = g.tree.set(c.env.hash, e, g.nextEdit())
		}
		if !seen {
			return
		}
		c.count.Refilters++
	}
	c.touch(g)
}

// share returns one and the same pointer for EXCLUDE{}.
func (c *Cache[M]) share(f Filter) *Filter {
	if f.exclude && len(f.sources) == 0 {
		return c.everything
	}
	return &f
}

// union is what the holders of a membership want together.
func union[M comparable](holders []*record[M]) Filter {
	if len(holders) == 1 {
		return holders[0].view().filter()
	}
	return Merge(func(yield func(Filter) bool) {
		for _, rec := range holders {
			if !yield(rec.view().filter()) {
				return
			}
		}
	})
}

// holders are the records of rec's member in this group, one an owner.
func (g *group[M]) holders(rec *record[M]) []*record[M] {
	if all := g.shared[rec.member()]; all != nil {
		return all
	}
	return []*record[M]{rec}
}

// unshare takes rec out of its member's holders and returns the others.
func (g *group[M]) unshare(rec *record[M]) []*record[M] {
	m := rec.member()
	rest := slices.DeleteFunc(slices.Clone(g.shared[m]), func(r *record[M]) bool { return r == rec })
	if len(rest) > 1 {
		g.shared[m] = rest
	} else {
		delete(g.shared, m)
	}
	return rest
}

// records are all records of the group in the order of joining.
func (g *group[M]) records() []*record[M] {
	entries := make([]*entry[M], 0, g.tree.n)
	g.tree.root.walk(func(e *entry[M]) bool {
		entries = append(entries, e)
		return true
	})
	slices.SortFunc(entries, func(a, b *entry[M]) int { return cmp.Compare(a.seq, b.seq) })
	var out []*record[M]
	for _, e := range entries {
		if all := g.shared[e.member]; all != nil {
			out = append(out, all...)
		} else {
			out = append(out, e.live)
		}
	}
	return out
}

// remove takes a record out in O(1).
func (p *peer[M]) remove(rec *record[M]) {
	last := len(p.records) - 1
	moved := p.records[last]
	p.records[rec.inPeer] = moved
	moved.inPeer = rec.inPeer
	p.records[last] = nil
	p.records = p.records[:last]
}
