package modeltest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ofmcast/ofmcast/mcast"
)

// rig plays one history into a cache and into the model.
type rig struct {
	c     *mcast.Cache[string]
	m     *model
	now   when
	blur  time.Duration // what the age of a membership may be off
	sinks []*sink
	late  *sink // is in sinks while it is there

	deaf     bool      // queries cannot be sent
	expected []request // rest of what is sent about one holding
	calls    int       // of sinks, and queries
	kept     []saved   // a snapshot from before
	keptOf   mcast.Snapshot[string]

	trace []event
	fault error // the first one
}

// event is a line of the history, for people.
type event struct {
	at   when
	what fmt.Stringer
}

type text string

func (t text) String() string { return string(t) }

func newRig(s setup) *rig {
	r := &rig{blur: 2 * time.Second, m: newModel(s, 0)}
	r.start()
	return r
}

// start makes a cache with sinks of its own, at the time it is.
func (r *rig) start() {
	cfg := mcast.Config[string]{
		Timing: r.m.timing, Limits: r.m.limits, Query: r.query,
		Leave: func(m string) mcast.LeavePolicy { return r.m.policy[m] },
	}
	if r.m.sorted {
		cfg.Order = func(a, b string) int { return strings.Compare(b, a) }
	}
	r.c = mcast.New(cfg)
	r.c.Advance(clock(r.now))
	r.sinks, r.late = nil, nil
	r.m.emptied = func() {
		for _, s := range r.sinks {
			s.forget()
		}
	}
	for _, cfg := range []mcast.SinkConfig{plain, paced, flaky} {
		r.add(cfg)
	}
}

var epoch = time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)

func clock(t when) time.Time { return epoch.Add(t) }

func (r *rig) fail(format string, args ...any) {
	if r.fault == nil {
		r.fault = fmt.Errorf(format, args...)
		r.note(text("FAULT: " + r.fault.Error()))
	}
}

func (r *rig) check(err error) {
	if err != nil {
		r.fail("%w", err)
	}
}

func (r *rig) note(what fmt.Stringer) { r.trace = append(r.trace, event{r.now, what}) }

// history is what has happened, a line each.
func (r *rig) history() string {
	var b strings.Builder
	fmt.Fprintf(&b, "timing %+v, leave %v, limits %+v, sorted %v\n", r.m.timing, r.m.policy, r.m.limits, r.m.sorted)
	for _, e := range r.trace {
		fmt.Fprintf(&b, "%16v  %v\n", e.at, e.what)
	}
	return b.String()
}

// play does one step and what follows from it.
func (r *rig) play(s step) {
	r.pass(s)
	r.do(s)
}

// do lets something happen now.
func (r *rig) do(a action) {
	r.note(a)
	a.run(r)
	r.check(r.compareRows())
	r.advance(r.now)
	r.settle()
}

// pass lets the time of a step pass.
func (r *rig) pass(s step) {
	switch s.pace {
	case stopping:
		r.runTo(r.now + s.wait)
	case nextTime, justBefore:
		if next, ok := r.c.Next(); ok && next.Sub(epoch) > r.now {
			t := next.Sub(epoch)
			if s.pace == justBefore {
				t--
			}
			r.runTo(t)
		}
	case jumping:
		r.now += s.wait
		r.advance(r.now)
		r.settle()
	case unheard: // until the cache has heard of what the step does
		r.now += s.wait
	}
}

// runTo lets time pass, stopping one nanosecond before everything that the
// cache says is due, when nothing may happen, and then at it.
func (r *rig) runTo(t when) {
	for r.fault == nil {
		next, ok := r.c.Next()
		at := next.Sub(epoch)
		if !ok || at > t {
			break
		}
		if at <= r.now {
			r.fail("something is due at %v still", at)
			return
		}
		r.quiet(at - 1)
		r.now = at
		r.advance(r.now)
		r.settle()
	}
	r.quiet(t)
}

// quiet lets time pass in which nothing happens.
func (r *rig) quiet(t when) {
	if t <= r.now || r.fault != nil {
		return
	}
	calls, before := r.calls, r.allRows()
	r.now = t
	r.advance(t)
	r.settle()
	if after := r.allRows(); !slices.EqualFunc(before, after, slices.Equal) {
		r.fail("before it was due %v became %v", before, after)
	}
	if calls != r.calls {
		r.fail("a call came before it was due")
	}
}

func (r *rig) allRows() [][]row {
	var out [][]row
	for _, g := range groups {
		s, _ := r.c.Lookup(g)
		out = append(out, rowsOf(s))
	}
	return out
}

func (r *rig) advance(t when) {
	r.c.Advance(clock(t))
	r.m.advance(t)
}

// settle lets the cache say what it has to say. Then nothing more is due.
func (r *rig) settle() {
	if err := r.c.Flush(context.Background()); errors.Is(err, mcast.ErrRunning) {
		r.fail("flush: %w", err)
	}
	r.check(r.compare())
	r.asked()
	for _, s := range r.sinks {
		r.check(s.settled())
	}
}

// asked says that no query is due any more: they go out before sinks are called.
func (r *rig) asked() {
	if len(r.expected) > 0 {
		r.fail("not asked: %v", r.expected)
	}
	for _, k := range r.m.keys() {
		if missing := r.m.requests(k); len(missing) > 0 {
			r.fail("not asked: %v", missing)
		}
	}
}

var errDeaf = errors.New("queries cannot be sent")

// query is the cache's Config.Query: what is asked must be what the model asks now.
func (r *rig) query(_ context.Context, q mcast.QueryRequest[string]) error {
	r.calls++
	got := request{q.Group, q.Member, sourceList(q.Sources), q.Suppress, q.MaxResponse}
	r.note(got)
	if len(r.expected) == 0 {
		for _, o := range owners {
			r.expected = append(r.expected, r.m.requests(key{q.Group, q.Member, o})...)
		}
	}
	if i := slices.Index(r.expected, got); i >= 0 {
		r.expected = slices.Delete(r.expected, i, i+1)
	} else {
		r.fail("asked %v, want %v", got, r.expected)
	}
	if !slices.IsSortedFunc(q.Sources, source.Compare) {
		r.fail("sources out of order: %v", q.Sources)
	}
	if r.deaf {
		return errDeaf
	}
	return nil
}

// finish ends all faults and lets what ends end.
func (r *rig) finish() {
	r.note(text("all faults end"))
	r.deaf = false
	for _, s := range r.sinks {
		s.heal()
	}
	r.runTo(r.now + flaky.MaxRetry + time.Second)
	for _, s := range r.sinks {
		r.check(s.agrees())
	}
	r.do(hold(false))
	r.runTo(r.now + longestLife)
	r.do(removeOwner{owners[1]})
	r.runTo(r.now + flaky.MaxRetry)
	for _, s := range r.sinks {
		if len(s.told) > 0 {
			r.fail("sink%d holds %v, want nothing", s.number, slices.Collect(maps.Keys(s.told)))
		}
	}
	if s := r.c.Statistics(); s.Memberships+s.Members+s.Sources+s.Groups+s.Unconfirmed != 0 {
		r.fail("something is left: %+v", s)
	} else if s.Joins != s.Leaves+s.Expiries+s.Removals {
		r.fail("who joined has not gone: %+v", s)
	}
}
