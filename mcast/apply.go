package mcast

import (
	"net/netip"
	"slices"
)

// Apply takes in one report. It returns an error that wraps ErrInvalid,
// ErrLimit or ErrRemoved when the report was refused and nothing was changed;
// refusals are counted, so that the error may be ignored.
//
// Timers start at the report's own time; reports count in the order in which
// they are applied. Apply calls no sink and sends no query: what it makes due
// is done by Run or Flush.
func (c *Cache[M]) Apply(r Report[M]) error {
	c.mu.Lock()
	defer c.unlock()
	return c.apply(&r)
}

func (c *Cache[M]) apply(r *Report[M]) error {
	c.count.Reports++
	r.Group = r.Group.plain()
	if why := r.check(); why != "" {
		c.count.RefusedInvalid++
		return &Error{Op: "apply", Detail: why, Err: ErrInvalid}
	}
	at := c.clock.in(r.At)
	if c.removed.covers(r.Member, at) {
		c.count.RefusedRemoved++
		return &Error{Op: "apply", Detail: "report is not newer than the removal", Err: ErrRemoved}
	}
	rec := c.find(r.Group, r.Member, r.Owner)
	if rec != nil && rec.wake <= at {
		// What ended before the report was made has ended.
		c.look(rec, at)
		rec = c.find(r.Group, r.Member, r.Owner)
	}
	if rec.repeats(r) {
		c.refresh(rec, r, at)
		return nil
	}
	kind, list, ok := c.translate(rec, r, at)
	if !ok {
		c.count.IgnoredOlderHost++
		return nil
	}
	return c.handle(rec, r, kind, list, at)
}

// repeats says that a report is the commonest of all: a member that wants all
// sources says so again. The tables only set the group timer then, and so does
// refresh, without going through them.
func (r *record[M]) repeats(rep *Report[M]) bool {
	return r != nil && r.timer != stopped && (r.x == nil || len(r.x.sources) == 0) &&
		(rep.Kind == ModeIsExclude || rep.Kind == ChangeToExclude) && len(rep.Sources) == 0
}

func (c *Cache[M]) refresh(rec *record[M], r *Report[M], at instant) {
	rec.timer = c.lifetime(r.Owner, at)
	if rec.x != nil {
		rec.x.leaving = false
	}
	rec.heard(r, at.after(c.timing.olderHost))
	c.reschedule(rec) // the timing may have become shorter
}

// find returns the record of an owner's membership, or nil.
func (c *Cache[M]) find(key Group, m M, owner Owner) *record[M] {
	g := c.groups[key]
	if g == nil {
		return nil
	}
	e := g.tree.get(c.env.hash, m)
	if e == nil {
		return nil
	}
	if e.live.owner() == owner {
		return e.live
	}
	for _, rec := range g.shared[m] {
		if rec.owner() == owner {
			return rec
		}
	}
	return nil
}

// translate turns a report into what the tables get: RFC 9776 section 7.3.2
// for members with older hosts, and the deviation M2. The list is in ascending
// order, in room that belongs to the cache. Not ok: the report is ignored.
func (c *Cache[M]) translate(rec *record[M], r *Report[M], at instant) (kind Kind, list []netip.Addr, ok bool) {
	kind = r.Kind
	list = c.list[:0]
	for _, s := range r.Sources {
		list = append(list, plainAddr(s))
	}
	c.list = list
	if len(list) > 1 {
		slices.SortFunc(list, netip.Addr.Compare)
		list = slices.Compact(list)
	}
	if kind == ModeIsInclude && len(list) == 0 {
		kind = ChangeToInclude // contract M2
	}
	if rec == nil {
		return kind, list, true
	}
	version := rec.version(at)
	switch {
	case version <= 2 && kind == BlockOldSources:
		return kind, nil, false
	case version == 1 && kind == ChangeToInclude:
		return kind, nil, false
	case version <= 2 && kind == ChangeToExclude:
		return kind, nil, true
	}
	return kind, list, true
}

// handle runs the tables of RFC 9776 section 6.4 for one record.
func (c *Cache[M]) handle(rec *record[M], r *Report[M], kind Kind, list []netip.Addr, at instant) error {
	cur := filterState{timer: stopped}
	if rec != nil {
		rec.extend(c.asOf(at))
		cur = rec.view()
	}
	cell := cur.cellFor(kind)
	next := cur.report(cell, list, at, c.lifetime(r.Owner, at), c.state)
	c.state = next.sources
	asked := c.ask(&next, cell.query, r, at)
	left := next.settle(c.asOf(at))
	if rec == nil && next.none() {
		return nil // nothing was there and nothing is wanted
	}
	if err := c.allow(rec, r, len(next.sources)-len(cur.sources), len(next.sources)); err != nil {
		return err
	}
	if rec == nil {
		rec = c.newRecord(r)
	}
	rec.heard(r, at.after(c.timing.olderHost))
	if c.adopt(rec, next, left) {
		c.startSeries(rec, asked, at)
	}
	return nil
}

// lifetime is the end of timers that are set to GMI.
func (c *Cache[M]) lifetime(o Owner, at instant) instant {
	if o.Kind == Static {
		return never
	}
	return at.after(c.timing.gmi)
}

// none says that no source is wanted.
func (f *filterState) none() bool { return !f.exclude() && len(f.sources) == 0 }

// heard notes until when an older host is taken to be there. Reports tell, not
// leaves; both joins and answers of such hosts are EXCLUDE records.
func (r *record[M]) heard(rep *Report[M], until instant) {
	if rep.Owner.Kind != Learned || rep.Kind != ModeIsExclude && rep.Kind != ChangeToExclude {
		return
	}
	switch rep.Version {
	case 1:
		r.more().v1 = until
	case 2:
		r.more().v2 = until
	}
}
