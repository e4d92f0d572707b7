package mcast

import (
	"net/netip"
	"slices"
	"time"
)

// SeenQuery is a query of another router, RFC 9776 section 6.6.1.
type SeenQuery struct {
	// Group is the group asked about; a general query lowers nothing and need
	// not be passed on.
	Group Group
	// Sources are the sources asked about; none for a group-specific query.
	Sources []netip.Addr
	// Suppress is the S flag: timers are not lowered.
	Suppress bool
	// MaxResponse is the query's Max Resp Time in units of time; 0 is LMQI.
	// Timers are lowered to LMQC times that.
	MaxResponse time.Duration
	// At is when the query was seen.
	At time.Time
}

// QuerySeen takes in another router's specific query: the timers that it asks
// about are lowered for all members of the group (RFC 9776 section 6.6.1), and
// who does not answer is gone when they end. It does nothing while we are the
// querier: then our own queries count.
func (c *Cache[M]) QuerySeen(q SeenQuery) {
	c.mu.Lock()
	defer c.unlock()
	g := c.groups[q.Group.plain()]
	if !c.timing.NonQuerier || q.Suppress || g == nil || q.At.IsZero() {
		return
	}
	if q.MaxResponse <= 0 {
		q.MaxResponse = c.timing.LMQI
	}
	at := c.clock.in(q.At)
	limit := at.after(time.Duration(c.timing.LMQC) * q.MaxResponse)
	var list []netip.Addr
	for _, s := range q.Sources {
		list = append(list, plainAddr(s))
	}
	slices.SortFunc(list, netip.Addr.Compare)
	for _, rec := range g.records() {
		if rec.owner().Kind == Learned {
			rec.extend(c.asOf(at))
			c.lower(rec, list, limit)
		}
	}
}

// lower lowers the timers that a query with the list asks about.
func (c *Cache[M]) lower(rec *record[M], list []netip.Addr, limit instant) {
	f := rec.load(c.state)
	c.state = f.sources
	if len(list) == 0 {
		f.lowerGroup(limit)
	}
	for i := range f.sources {
		if _, listed := slices.BinarySearchFunc(list, f.sources[i].addr, netip.Addr.Compare); listed {
			f.sources[i].lower(limit)
		}
	}
	c.adopt(rec, f, cause{at: limit}) // only timers change
}
