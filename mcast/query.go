package mcast

import (
	"context"
	"net/netip"
	"slices"
)

// series are the queries about one member of one group that are still to be
// sent, RFC 9776 section 6.6.3. How often a source is still to be asked about
// is counted with the source.
type series[M comparable] struct {
	group      uint8 // group-specific queries still to be sent
	nextGroup  instant
	nextSource instant
	queuedAt   instant // when what is in the outbox was due
	out        links[*record[M]]
}

// due is when something has to be put into the outbox.
func (s *series[M]) due() instant {
	if s == nil || s.out.in {
		return never
	}
	return min(s.nextGroup, s.nextSource)
}

func (r *record[M]) links() *links[*record[M]] { return &r.x.query.out }

// startSeries makes the first of the queries due that a report asks for.
// A group-specific series under way goes on as it is when the leave that
// would start it has lowered no timer: it repeats itself (contract L7).
func (c *Cache[M]) startSeries(rec *record[M], a asked, at instant) {
	if c.cfg.Query == nil || !a.group && !a.sources {
		return
	}
	x := rec.more()
	if x.query == nil {
		x.query = &series[M]{nextGroup: never, nextSource: never}
	}
	q := x.query
	if a.group && (a.lowered || q.group == 0) {
		q.group, q.nextGroup = uint8(c.timing.LMQC), at
	}
	if a.sources {
		q.nextSource = at
	}
	c.enqueue(rec, at)
}

// enqueue puts a record whose queries are due into the outbox.
func (c *Cache[M]) enqueue(rec *record[M], at instant) {
	q := rec.x.query
	if !q.out.in || q.queuedAt < at {
		q.queuedAt = at
	}
	c.outbox.push(rec)
	c.news = true
}

// sendQuery sends the queries of the first record in the outbox. It says
// whether there was one.
func (c *Cache[M]) sendQuery(ctx context.Context) (bool, error) {
	c.mu.Lock()
	if c.outbox.n == 0 {
		c.mu.Unlock()
		return false, nil
	}
	rec := c.outbox.pop()
	requests := c.requests(rec)
	if rec.x.query.due() == never {
		rec.x.query = nil // all are sent
	}
	c.reschedule(rec)
	c.count.Queries += uint64(len(requests))
	c.unlock()

	var first error
	for _, q := range requests {
		err := guard(func() error { return c.cfg.Query(ctx, q) })
		if err == nil || ctx.Err() != nil {
			continue
		}
		err = &SyncError{Group: q.Group, Err: err}
		c.log.Warn("query not sent", "group", q.Group, "member", q.Member, "err", err, "stack", stackOf(err))
		c.mu.Lock()
		c.count.QueryErrors++
		c.mu.Unlock()
		if first == nil {
			first = err
		}
	}
	return true, first
}

// requests builds what is due of a record's queries and counts it down.
func (c *Cache[M]) requests(rec *record[M]) []QueryRequest[M] {
	q := rec.x.query
	now := max(q.queuedAt, c.now)
	seen, limit := c.asOf(now), now.after(c.timing.lmqt)
	request := QueryRequest[M]{Group: rec.group.key, Member: rec.member(), MaxResponse: c.timing.LMQI}
	var out []QueryRequest[M]
	groupToo := q.nextGroup <= now && q.group > 0 && rec.timer != stopped
	if q.nextGroup <= now {
		if groupToo {
			request.Suppress = seen.end(rec.timer, rec.x.leaving) > limit
			out = append(out, request)
			q.group--
		} else {
			q.group = 0
		}
		q.nextGroup = c.again(q.nextGroup, now, q.group > 0)
	}
	if q.nextSource <= now {
		suppressed, open, more := rec.x.countDown(seen, limit)
		if len(suppressed) > 0 && !groupToo { // with a group query it may be left out: 6.6.3.2
			request.Sources, request.Suppress = suppressed, true
			out = append(out, request)
		}
		if len(open) > 0 {
			request.Sources, request.Suppress = open, false
			out = append(out, request)
		}
		q.nextSource = c.again(q.nextSource, now, more)
	}
	return out
}

// again is when the next query of a series is due, LMQI after the last one
// was. When they go out late, they are not sent in a burst.
func (c *Cache[M]) again(due, now instant, more bool) instant {
	if !more {
		return never
	}
	if next := due.after(c.timing.LMQI); next > now {
		return next
	}
	return now.after(c.timing.LMQI)
}

// countDown takes one query from each source that has any left. The sources
// come apart by the S flag: those whose timer is above the limit have been
// refreshed (RFC 9776 section 6.6.3.2).
func (x *extra[M]) countDown(seen asOf, limit instant) (suppressed, open []netip.Addr, more bool) {
	for i := range x.sources {
		s := &x.sources[i]
		if s.resend == 0 || s.deadline == stopped {
			continue
		}
		s.resend--
		more = more || s.resend > 0
		if seen.end(s.deadline, s.leaving) > limit {
			suppressed = append(suppressed, s.addr)
		} else {
			open = append(open, s.addr)
		}
	}
	return slices.Clip(suppressed), slices.Clip(open), more
}
