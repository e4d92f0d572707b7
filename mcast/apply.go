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
	rec := c.current(in.Report, in.at)
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
	rec.timer = c.lifetime(in)
	if rec.x != nil {
		rec.x.leaving = false
	}
	c.heard(rec, in)
	c.reschedule(rec) // the timing may have become shorter
}

// current is find after what had ended at that time has ended.
func (c *Cache[M]) current(r *Report[M], at instant) *record[M] {
	rec := c.find(r)
	if rec != nil && rec.wake <= at {
		c.look(rec, at)
		rec = c.find(r)
	}
	return rec
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
	next := cur.report(cell, in.list, c.lifetime(in), c.state)
	c.state = next.sources
	asked := c.ask(&next, cell.query, in)
	now := c.asOf(in.at)
	if in.Owner.Kind == Static {
		now.thaw = stopped // contract L10
	}
	why := next.settle(now)
	why.at = in.at
	if rec == nil && next.none() {
		return nil // nothing was there and nothing is wanted
	}
	if err := c.allow(rec, in.Report, len(next.sources)-len(cur.sources), len(next.sources)); err != nil {
		return err
	}
	if rec == nil {
		rec = c.newRecord(in.Report, in.at)
	}
	c.heard(rec, in)
	if c.adopt(rec, next, why) {
		c.startSeries(rec, asked, in.at)
	}
	return nil
}

// lifetime is the end of timers that are set to GMI.
func (c *Cache[M]) lifetime(in *input[M]) instant {
	switch {
	case in.Owner.Kind == Static:
		return never
	case in.Lease > 0:
		return in.at.after(min(in.Lease, maxInterval))
	default:
		return in.at.after(c.timing.gmi)
	}
}

// none says that no source is wanted.
func (f *filterState) none() bool { return !f.exclude() && len(f.sources) == 0 }

// heard notes that a report has confirmed a record, and until when an older
// host is taken to be there. Of that reports tell, not leaves; both joins and
// answers of such hosts are EXCLUDE records.
func (c *Cache[M]) heard(rec *record[M], in *input[M]) {
	c.confirm(rec)
	if in.Owner.Kind != Learned || in.Kind != ModeIsExclude && in.Kind != ChangeToExclude {
		return
	}
	until := in.at.after(c.timing.olderHost)
	switch in.Version {
	case 1:
		rec.more().v1 = until
	case 2:
		rec.more().v2 = until
	}
}
