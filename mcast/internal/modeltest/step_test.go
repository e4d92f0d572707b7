package modeltest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ofmcast/ofmcast/mcast"
)

// step is a wait and what happens then.
type step struct {
	pace pace
	wait time.Duration
	do   action
}

func (s step) String() string {
	if s.pace == stopping {
		return s.do.String()
	}
	return fmt.Sprintf("%v (%v)", s.do, s.pace)
}

func (s step) run(r *rig) { s.do.run(r) }

// GoString is what a failing test shows of it.
func (s step) GoString() string { return s.String() }

// pace is how time passes.
type pace uint8

const (
	stopping   pace = iota // wherever something is due
	nextTime               // until something is due
	justBefore             // one nanosecond less
	jumping                // at once, so that all is late
	unheard                // the report that comes tells the time
)

func (p pace) String() string {
	return [...]string{"stopping", "when something was due", "just before something is due", "after a jump", "no Advance before"}[p]
}

// action is what can happen.
type action interface {
	fmt.Stringer
	run(r *rig)
}

type report struct {
	mcast.Report[string]
	late time.Duration // it was made so long ago
}

func (a report) String() string {
	r := a.Report
	out := fmt.Sprintf("%s reports %v %v%s", r.Member, r.Group, r.Kind, numbers(setOf(r.Group, slices.Values(r.Sources))))
	if r.Version != 3 {
		out += fmt.Sprintf(" v%d", r.Version)
	}
	if r.Owner.Kind != mcast.Learned {
		out += fmt.Sprintf(" %v", r.Owner.Kind)
	}
	if r.Lease != 0 {
		out += fmt.Sprintf(" for %v", r.Lease)
	}
	if a.late != 0 {
		out += fmt.Sprintf(" at %v before", a.late)
	}
	return out
}

func (a report) run(r *rig) {
	at := r.now - a.late
	rep := a.Report
	rep.At = clock(at)
	err, want := r.c.Apply(rep), r.m.apply(a.Report, at)
	if !errors.Is(err, want) || (err == nil) != (want == nil) {
		r.fail("refused with %v, want %v", err, want)
	}
}

type removeMember struct {
	member string
	late   time.Duration
}

func (a removeMember) String() string {
	return fmt.Sprintf("%s is removed, %v before", a.member, a.late)
}

func (a removeMember) run(r *rig) {
	r.c.RemoveMember(a.member, clock(r.now-a.late))
	r.m.remove(a.member, r.now-a.late)
}

type removeOwner struct{ owner mcast.Owner }

func (a removeOwner) String() string { return fmt.Sprintf("owner %v is removed", a.owner.Kind) }

func (a removeOwner) run(r *rig) {
	r.c.RemoveOwner(a.owner)
	r.m.removeOwner(a.owner)
}

type querySeen struct {
	mcast.SeenQuery
	late time.Duration
}

func (a querySeen) String() string {
	return fmt.Sprintf("query seen: %v%s, %v, S %v, %v before", a.Group,
		numbers(setOf(a.Group, slices.Values(a.Sources))), a.MaxResponse, a.Suppress, a.late)
}

func (a querySeen) run(r *rig) {
	q := a.SeenQuery
	q.At = clock(r.now - a.late)
	r.c.QuerySeen(q)
	r.m.seen(q, r.now-a.late)
}

type setTiming mcast.Timing

func (a setTiming) String() string { return fmt.Sprintf("timing %+v", mcast.Timing(a)) }

func (a setTiming) run(r *rig) {
	r.c.SetTiming(mcast.Timing(a))
	r.m.setTiming(mcast.Timing(a))
}

type hold bool

func (a hold) String() string { return fmt.Sprintf("hold aging %v", bool(a)) }

func (a hold) run(r *rig) {
	r.c.HoldAging(bool(a))
	r.m.hold(bool(a))
}

type expireUnconfirmed struct{}

func (expireUnconfirmed) String() string { return "expire unconfirmed" }

func (expireUnconfirmed) run(r *rig) {
	r.c.ExpireUnconfirmed()
	r.m.expireUnconfirmed()
}

// keep takes a snapshot for later.
type keep struct{}

func (keep) String() string { return "snapshot" }

func (keep) run(r *rig) {
	r.keptOf = r.c.Snapshot()
	held := map[key]saved{}
	for _, s := range r.m.snapshot() {
		held[s.key] = s
	}
	r.kept = nil // in the cache's order of a member's owners: a limit may cut it
	for _, is := range r.keptOf.Memberships {
		k := key{is.Group, is.Member, is.Owner}
		if held[k].h == nil {
			r.fail("%v is saved, but is not there", k)
			continue
		}
		r.kept = append(r.kept, held[k])
	}
	if len(r.kept) != len(held) {
		r.fail("%d are saved, want %d", len(r.kept), len(held))
	}
}

// restore takes in the snapshot that was kept; after a restart, in a new cache.
type restore struct {
	restart bool
	gap     time.Duration
	remap   map[string]string // nil: all names are the same
}

func (a restore) String() string {
	if a.restart {
		return fmt.Sprintf("restart, %v later restored as %v", a.gap, a.remap)
	}
	return fmt.Sprintf("restored as %v", a.remap)
}

func (a restore) run(r *rig) {
	if a.restart {
		keep{}.run(r)
		r.now += a.gap
		r.m = newModel(r.m.setup, r.now)
		r.start()
	}
	var remap func(string) (string, bool)
	if a.remap != nil {
		remap = func(m string) (string, bool) { return a.remap[m], a.remap[m] != "" }
	}
	var back mcast.Snapshot[string]
	if text, err := json.Marshal(r.keptOf); err != nil {
		r.fail("encoding: %w", err)
	} else if err := json.Unmarshal(text, &back); err != nil {
		r.fail("decoding: %w", err)
	}
	r.blur += 2 * time.Second
	got, err := r.c.Restore(back, clock(r.now), remap)
	want := r.m.restore(r.kept, a.remap)
	if err != nil || got != want {
		r.fail("restored %+v, %v, want %+v", got, err, want)
	}
}

// faults make a sink fail, or take its time over the next call.
type faults struct {
	sink      int
	failing   int
	takes     time.Duration
	meanwhile action
}

func (a faults) String() string {
	return fmt.Sprintf("sink%d fails %d times, takes %v, meanwhile: %v", a.sink, a.failing, a.takes, a.meanwhile)
}

func (a faults) run(r *rig) {
	s := r.sinks[a.sink]
	s.failing, s.takes, s.meanwhile = a.failing, a.takes, a.meanwhile
}

type resync struct{ sink int }

func (a resync) String() string { return fmt.Sprintf("sink%d is resynced", a.sink) }

func (a resync) run(r *rig) { r.sinks[a.sink].resync() }

// lateSink adds one more sink, or takes it out.
type lateSink struct{}

func (lateSink) String() string { return "the late sink comes or goes" }

func (lateSink) run(r *rig) {
	if r.late == nil {
		r.late = r.add(flaky)
		return
	}
	r.check(r.late.handle.Remove(context.Background()))
	r.sinks, r.late = slices.DeleteFunc(r.sinks, func(s *sink) bool { return s == r.late }), nil
}

type deaf bool

func (a deaf) String() string { return fmt.Sprintf("queries fail: %v", bool(a)) }

func (a deaf) run(r *rig) { r.deaf = bool(a) }
