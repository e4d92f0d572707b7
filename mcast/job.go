package mcast

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime/debug"
	"slices"
)

// job is one call of a sink: of a delivery, or without one Prune.
type job[M comparable] struct {
	sink  *sink[M]
	d     *delivery[M]
	state State[M]
	again bool    // was tried before
	force bool    // call even if the sink could see no difference
	round uint64  // what the call counts for
	seen  uint64  // the group's version
	keep  []Group // for Prune
	began instant
}

// take takes the sink's next call that is due. Fresh groups and retries take
// turns, and retries never take all workers, so that however many groups fail,
// a healthy one is served. The cache is locked.
func (c *Cache[M]) take(s *sink[M]) (job[M], bool) {
	now := c.moment()
	r := &s.round
	if s.gone.Err() != nil || r.pruning {
		return job[M]{}, false
	}
	if r.pruneReady(now) {
		if s.calls > 0 {
			return job[M]{}, false // contract S2: it waits for them
		}
		r.pruning, r.began = true, now
		s.calls++
		return job[M]{sink: s, keep: c.kept(s), round: r.number, began: now}, true
	}
	d := s.pick()
	if d == nil {
		return job[M]{}, false
	}
	d.busy, d.touched, d.began = true, true, now
	s.busy.push(d)
	s.calls++
	j := job[M]{
		sink: s, d: d, round: r.number, seen: d.group.version, began: now, force: d.force, again: d.failures > 0,
		state: State[M]{group: d.group.key, cur: d.group.snapshot(), prev: d.prev, hasPrev: d.hasPrev, env: c.env},
	}
	if j.again {
		s.retrying++
	}
	return j, true
}

func (s *sink[M]) pick() *delivery[M] {
	mayRetry := s.retry.n > 0 && s.mayRetry() > 0
	if s.fresh.n > 0 && (s.afterRetry || !mayRetry) {
		s.afterRetry = false
		return s.fresh.pop()
	}
	if !mayRetry {
		return nil
	}
	s.afterRetry = true
	return s.retry.pop()
}

// mayRetry is how many workers more may be spent on retries.
func (s *sink[M]) mayRetry() int { return max(1, s.cfg.Workers/2) - s.retrying }

// kept are the groups that Prune shall leave alone, in order: those with
// members, and those that the sink will be told are gone.
func (c *Cache[M]) kept(s *sink[M]) []Group {
	var keep []Group
	for key, g := range c.groups {
		if d := g.delivery(s); g.tree.n > 0 || d != nil && d.touched {
			keep = append(keep, key)
		}
	}
	slices.SortFunc(keep, Group.Compare)
	return keep
}

// perform makes the call and notes what came of it, also of one that ends its goroutine.
func (c *Cache[M]) perform(ctx context.Context, j job[M]) (err error) {
	skip := j.d != nil && !j.force && j.state.hasPrev && j.state.cur.same(j.state.prev)
	err = errGoexit // stays if the sink ends the goroutine
	defer func() { err = c.performed(ctx, j, skip, err) }()
	if skip {
		return nil
	}
	return c.call(ctx, j)
}

// performed notes what came of a call.
func (c *Cache[M]) performed(ctx context.Context, j job[M], skip bool, err error) error {
	// A call that was cut short by the end of Run has not failed: it is due again.
	cut := err != nil && ctx.Err() != nil

	c.mu.Lock()
	s := j.sink
	s.calls--
	if j.again {
		s.retrying--
	}
	if j.d != nil {
		s.busy.remove(j.d)
		j.d.busy = false
	}
	if s.gone.Err() != nil {
		if s.calls == 0 {
			close(s.idle)
		}
		c.unlock()
		return nil
	}
	if !skip {
		c.noteCall(&s.count, j, err, cut)
	} else {
		s.count.Skipped++
	}
	if j.d == nil {
		c.pruned(j, err, cut)
	} else {
		c.synced(j, err, cut, skip)
	}
	c.news = true // others may have waited for this call
	c.unlock()
	if err == nil || cut {
		return nil
	}
	return c.failed(j, err)
}

func (c *Cache[M]) call(ctx context.Context, j job[M]) error {
	var cancel context.CancelFunc
	if j.sink.cfg.Timeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, j.sink.cfg.Timeout)
	} else {
		ctx, cancel = context.WithCancel(ctx)
	}
	defer cancel()
	defer context.AfterFunc(j.sink.gone, cancel)()
	return guard(func() error {
		if j.d != nil {
			return j.sink.to.Sync(ctx, j.state)
		}
		return j.sink.to.(Pruner).Prune(ctx, iter.Seq[Group](slices.Values(j.keep)))
	})
}

// guard makes an error of a panic: one sink's fault must not end the agent,
// nor leave its group in a worker for ever.
func guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &panicError{value: p, stack: debug.Stack()}
		}
	}()
	return f()
}

// panicError is a panic as an error of one line; the log gets the stack.
type panicError struct {
	value any
	stack []byte
}

func (e *panicError) Error() string { return fmt.Sprintf("%v: %v", ErrPanic, e.value) }
func (e *panicError) Unwrap() error { return ErrPanic }

// stackOf is the stack of a panic, for the log; empty for other errors.
func stackOf(err error) string {
	if p := new(panicError); errors.As(err, &p) {
		return string(p.stack)
	}
	return ""
}

// errGoexit is the error of a call that ended its goroutine by runtime.Goexit,
// as a failing assertion of a test does.
var errGoexit = fmt.Errorf("%w: the call ended its goroutine", ErrPanic)

// synced notes the end of a Sync.
func (c *Cache[M]) synced(j job[M], err error, cut, skip bool) {
	d, now := j.d, c.moment()
	if !skip {
		d.notUntil = stopped
		if c := j.sink.cfg.MinInterval; c > 0 {
			d.notUntil = j.began.after(c)
		}
	}
	if err != nil {
		d.force = true // the sink may have done anything: no call is saved
	}
	switch {
	case cut:
		d.at = now
	case j.round != j.sink.round.number:
		d.setFailures(0)
		d.at, d.notUntil = now, now // resynced meanwhile: at once
	case err != nil:
		d.setFailures(d.failures + 1)
		d.at = now.after(j.sink.cfg.backoff(int(d.failures)))
		d.handed()
	default:
		d.setFailures(0)
		d.force = false
		d.prev, d.hasPrev, d.told = j.state.cur, true, j.seen
		d.handed()
	}
	g := d.group
	c.schedule(d)
	c.sweep(g)
}

// pruned notes the end of a Prune.
func (c *Cache[M]) pruned(j job[M], err error, cut bool) {
	r := &j.sink.round
	r.pruning = false
	switch {
	case cut || j.round != r.number:
		r.pruneAt = c.now
	case err != nil:
		r.failures++
		r.pruneAt = c.moment().after(j.sink.cfg.backoff(r.failures))
	default:
		r.failures, r.prune = 0, false
	}
}

func (c *Cache[M]) failed(j job[M], err error) error {
	out := &SyncError{Sink: j.sink.name, Group: j.state.group, Err: err}
	c.log.Warn("sink failed", "sink", out.Sink, "group", out.Group, "err", err, "stack", stackOf(err))
	return out
}
