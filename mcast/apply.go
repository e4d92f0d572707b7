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
	r.Group = r.Group.plain()
	in := input[M]{Report: &r, kind: r.Kind}
	why := r.check()
	if why == "" {
		in.leave = c.leavePolicy(&r) // before the lock: it calls out
	}
	c.mu.Lock()
	defer c.unlock()
	c.count.Reports++
	if why != "" {
		c.count.RefusedInvalid++
		return &Error{Op: "apply", Detail: why, Err: ErrInvalid}
	}
	in.at = c.clock.in(r.At)
	return c.apply(&in)
}

// input is a report on its way through the cache.
type input[M comparable] struct {
	*Report[M]
	at    instant
	leave LeavePolicy
	// What the tables get: kind, and the sources in ascending order in room
	// that belongs to the cache.
	kind Kind
	list []netip.Addr
}

func (c *Cache[M]) apply(in *input[M]) error {
	if c.removed.covers(in.Member, in.at) {
		c.count.RefusedRemoved++
		return &Error{Op: "apply", Detail: "report is not newer than the removal", Err: ErrRemoved}
	}
	rec := c.find(in.Report)
	if rec != nil && rec.wake <= in.at {
		// What ended before the report was made has ended.
		c.look(rec, in.at)
		rec = c.find(in.Report)
	}
	if rec.repeats(in.Report) {
		c.refresh(rec, in)
		return nil
	}
	in.list = c.sorted(in.Sources)
	if in.kind == ModeIsInclude && len(in.list) == 0 {
		in.kind = ChangeToInclude // contract M2
	}
	if rec != nil && !in.translate(rec.version(in.at)) {
		c.count.IgnoredOlderHost++
		return nil
	}
	return c.handle(rec, in)
}

// repeats says that a report is the commonest of all: a member that wants all
// sources says so again. The tables only set the group timer then, and so does
// refresh, without going through them.
func (r *record[M]) repeats(rep *Report[M]) bool {
	return r != nil && r.timer != stopped && (r.x == nil || len(r.x.sources) == 0) &&
		(rep.Kind == ModeIsExclude || rep.Kind == ChangeToExclude) && len(rep.Sources) == 0
}

func (c *Cache[M]) refresh(rec *record[M], in *input[M]) {
	rec.timer = c.lifetime(in.Owner, in.at)
	if rec.x != nil {
		rec.x.leaving = false
	}
	rec.heard(in.Report, in.at.after(c.timing.olderHost))
	c.reschedule(rec) // the timing may have become shorter
}

// find returns the record of the membership that a report is about, or nil.
func (c *Cache[M]) find(r *Report[M]) *record[M] {
	g := c.groups[r.Group]
	if g == nil {
		return nil
	}
	e := g.tree.get(c.env.hash, r.Member)
	if e == nil {
		return nil
	}
	if e.live.owner() == r.Owner {
		return e.live
	}
	for _, rec := range g.shared[r.Member] {
		if rec.owner() == r.Owner {
			return rec
		}
	}
	return nil
}

// sorted is a source list in ascending order and without duplicates, in room
// that is used again for the next.
func (c *Cache[M]) sorted(sources []netip.Addr) []netip.Addr {
	c.list = c.list[:0]
	for _, s := range sources {
		c.list = append(c.list, plainAddr(s))
	}
	if len(c.list) < 2 {
		return c.list
	}
	slices.SortFunc(c.list, netip.Addr.Compare)
	return slices.Compact(c.list)
}

// translate does what RFC 9776 section 7.3.2 says for members with hosts of an
// older version. It says whether the report means anything at all.
func (in *input[M]) translate(version uint8) bool {
	switch {
	case version >= 3:
		return true
	case in.kind == BlockOldSources, version == 1 && in.kind == ChangeToInclude:
		return false
	case in.kind == ChangeToExclude:
		in.list = nil
	}
	return true
}

// handle runs the tables of RFC 9776 section 6.4 for one record, which is nil
// for who is not a member.
func (c *Cache[M]) handle(rec *record[M], in *input[M]) error {
	cur := filterState{timer: stopped}
	if rec != nil {
		rec.extend(c.asOf(in.at))
		cur = rec.view()
	}
	cell := cur.cellFor(in.kind)
	next := cur.report(cell, in.list, c.lifetime(in.Owner, in.at), c.state)
	c.state = next.sources
	asked := c.ask(&next, cell.query, in)
	why := next.settle(c.asOf(in.at))
	why.at = in.at
	if rec == nil && next.none() {
		return nil // nothing was there and nothing is wanted
	}
	if err := c.allow(rec, in.Report, len(next.sources)-len(cur.sources), len(next.sources)); err != nil {
		return err
	}
	if rec == nil {
		rec = c.newRecord(in.Report)
	}
	rec.heard(in.Report, in.at.after(c.timing.olderHost))
	if c.adopt(rec, next, why) {
		c.startSeries(rec, asked, in.at)
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
