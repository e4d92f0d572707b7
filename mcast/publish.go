package mcast

import (
	"cmp"
	"math"
	"slices"
)

// cause is why something visible changes.
type cause struct {
	at    instant
	how   ChangeKind // if it is an end: Left, Expired or Removed
	owner Owner      // whose record changes
}

// note takes in a timer that has ended. The last one counts, and of those that
// ended together one that a leave had lowered.
func (w *cause) note(at instant, leaving bool) {
	switch {
	case at < w.at:
	case leaving:
		w.at, w.how = at, Left
	case at > w.at:
		w.at, w.how = at, Expired
	}
}

// adopt stores a record's new state and does what follows from it: publishing,
// counting, waking in time. It says whether the record goes on.
func (c *Cache[M]) adopt(rec *record[M], next filterState, why cause) bool {
	if next.none() {
		c.finish(rec, why)
		return false
	}
	if grown := len(next.sources) - len(rec.view().sources); grown != 0 {
		c.count.Sources += grown
		c.peers[rec.member()].sources += grown
	}
	if rec.store(next) {
		why.owner = rec.owner()
		c.publish(rec.group, rec.member(), rec.group.holders(rec), why)
	}
	c.reschedule(rec)
	return true
}

// finish ends a record and publishes what is left of its member.
func (c *Cache[M]) finish(rec *record[M], why cause) {
	g, m := rec.group, rec.member()
	why.owner = rec.owner()
	c.publish(g, m, c.end(rec), why)
}

// end takes out a record, which nothing in the cache but its member's entry
// points at afterwards. It returns the other holders of that.
func (c *Cache[M]) end(rec *record[M]) []*record[M] {
	g, m := rec.group, rec.member()
	sources := len(rec.view().sources)
	c.count.Memberships--
	c.count.Sources -= sources
	c.confirm(rec)
	c.timers.remove(rec)
	p := c.peers[m]
	p.sources -= sources
	if p.remove(rec) {
		delete(c.peers, m)
	}
	if rec.x != nil {
		if rec.x.query != nil {
			c.outbox.remove(rec)
		}
		if o := rec.x.owner; o != nil && o.remove(rec) {
			delete(c.owners, o.key)
		}
	}
	holders := g.unshare(rec)
	rec.group, rec.x = nil, nil // a State may hold on to rec.entry
	return holders
}

// publish makes the entry of a member what its holders together want, and
// tells the sinks and the watchers when that is something they can see.
func (c *Cache[M]) publish(g *group[M], m M, holders []*record[M], why cause) {
	old := g.tree.get(c.env.hash, m)
	var change Change
	switch {
	case len(holders) == 0:
		g.tree = g.tree.remove(c.env.hash, m, g.nextEdit())
		change = Change{Kind: why.how, Old: *old.filter}
	case old == nil:
		rec := holders[0]
		rec.entry = entry[M]{
			member: m, seq: c.nextSeq(g), joined: rec.entry.joined, filter: c.share(rec.view().filter()), live: rec,
		}
		g.tree = g.tree.set(c.env.hash, &rec.entry, g.nextEdit())
		change = Change{Kind: Joined, New: *rec.entry.filter}
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
		change = Change{Kind: Refiltered, Old: *old.filter, New: *filter}
	}
	c.count.change(change.Kind)
	c.tell(g.key, m, change, why)
	c.touch(g)
}

// share returns one and the same pointer for EXCLUDE{}.
func (c *Cache[M]) share(f Filter) *Filter {
	if f.exclude && len(f.sources) == 0 {
		return c.everything
	}
	own := f // f itself would be allocated in both cases
	return &own
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

// nextSeq is the place in the order of joining for one more member.
func (c *Cache[M]) nextSeq(g *group[M]) uint32 {
	if g.seq == math.MaxUint32 {
		g.renumber(c.env.hash)
	}
	g.seq++
	return g.seq
}

// renumber closes the gaps that those have left who are gone.
func (g *group[M]) renumber(hash hasher[M]) {
	g.seq = 0
	for _, e := range g.entries() {
		g.seq++
		moved := *e
		moved.seq = g.seq
		g.tree = g.tree.set(hash, &moved, g.nextEdit())
	}
}

// entries are those of the group in the order of joining.
func (g *group[M]) entries() []*entry[M] {
	out := make([]*entry[M], 0, g.tree.n)
	g.tree.root.walk(func(e *entry[M]) bool {
		out = append(out, e)
		return true
	})
	slices.SortFunc(out, func(a, b *entry[M]) int { return cmp.Compare(a.seq, b.seq) })
	return out
}

// records are all records of the group in the order of joining.
func (g *group[M]) records() []*record[M] {
	var out []*record[M]
	for _, e := range g.entries() {
		if all := g.shared[e.member]; all != nil {
			out = append(out, all...)
		} else {
			out = append(out, e.live)
		}
	}
	return out
}

// remove takes a record out in O(1) and says whether it was the last.
func (p *peer[M]) remove(rec *record[M]) (last bool) {
	moved := p.records[len(p.records)-1]
	moved.inPeer = rec.inPeer
	p.records = removeAt(p.records, int(rec.inPeer))
	return len(p.records) == 0
}

// remove is that of an owner.
func (o *owner[M]) remove(rec *record[M]) (last bool) {
	moved := o.records[len(o.records)-1]
	moved.x.inOwner = rec.x.inOwner
	o.records = removeAt(o.records, int(rec.x.inOwner))
	return len(o.records) == 0
}

// removeAt puts the last one in the place of the one at i.
func removeAt[M comparable](list []*record[M], i int) []*record[M] {
	last := len(list) - 1
	list[i], list[last] = list[last], nil
	return list[:last]
}
