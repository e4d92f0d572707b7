package mcast

import (
	"cmp"
	"slices"
	"time"
)

// Memberships are those of one group with their timers, in the order in which
// the members joined; those of one member in the order in which its owners came. They are
// as they are now while Run is at work, and otherwise at the last Advance. It
// costs O(n log n) for n members, with the cache locked: it is for people.
func (c *Cache[M]) Memberships(g Group) []Membership[M] {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := c.groups[g.plain()]
	if found == nil {
		return nil
	}
	return c.memberships(nil, found.records())
}

// MembershipsOf are those of one member in all groups, in the order of
// [Group.Compare], like [Cache.Memberships].
func (c *Cache[M]) MembershipsOf(m M) []Membership[M] {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.peers[m]
	if p == nil {
		return nil
	}
	out := c.memberships(nil, p.records)
	slices.SortFunc(out, func(a, b Membership[M]) int {
		return cmp.Or(a.Group.Compare(b.Group), a.Owner.compare(b.Owner))
	})
	return out
}

// memberships appends what the records say at the moment.
func (c *Cache[M]) memberships(out []Membership[M], records []*record[M]) []Membership[M] {
	a := c.asOf(c.moment())
	for _, rec := range records {
		if m, ok := c.membership(rec, a); ok {
			out = append(out, m)
		}
	}
	return out
}

// membership is what a record says, unless it has ended by then.
func (c *Cache[M]) membership(rec *record[M], a asOf) (m Membership[M], ok bool) {
	f := rec.load(c.state)
	a.extend(&f)
	f.settle(a)
	c.state = f.sources
	if f.none() {
		return m, false
	}
	_, doubted := c.unconfirmed[rec]
	m = Membership[M]{
		Group: rec.group.key, Member: rec.member(), Owner: rec.owner(),
		Mode: Filter{exclude: f.exclude()}.Mode(), Left: a.left(f.timer), Leaving: f.leaving,
		Age:         max(0, time.Duration(seconds(a.now))-time.Duration(rec.entry.joined)) * time.Second,
		Unconfirmed: doubted,
	}
	if rec.x != nil {
		m.V1, m.V2 = max(0, a.left(rec.x.v1)), max(0, a.left(rec.x.v2))
	}
	for _, s := range f.sources {
		m.Leaving = m.Leaving || s.leaving
		m.Sources = append(m.Sources, SourceTimer{Addr: s.addr, Left: a.left(s.deadline)})
	}
	return m, true
}

// left is what a timer has left.
func (a asOf) left(deadline instant) time.Duration {
	switch deadline {
	case stopped:
		return 0
	case never:
		return Forever
	default:
		return time.Duration(deadline - a.now)
	}
}
