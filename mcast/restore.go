package mcast

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"time"
)

// Restored says what became of the memberships of a snapshot.
type Restored struct {
	// Restored are there now, unconfirmed.
	Restored int
	// Known were there already: what the cache has heard is newer.
	Known int
	// Dropped were not wanted by remap.
	Dropped int
	// Refused were over a limit, or of a member that was removed since.
	Refused int
}

// Restore takes in a snapshot at a time: the timers go on with what they had
// left, so that the time between does not count, but for no less than QRI +
// 1 s, so that a general query can be answered first, and for no longer than
// a membership interval. remap, if it is not nil, says what a member is called
// now, for instance because ports have other numbers after a restart, or with
// false that it is gone.
//
// A restored membership is unconfirmed until a report about it comes, see
// [Cache.ExpireUnconfirmed]. What the cache knows already stays as it is. A
// check of a leave that was under way is not: the member has until the end of
// its timer.
//
// Restore returns an error that wraps ErrSnapshot, and changes nothing, when
// anything in the snapshot cannot be. What is over a limit is left out.
func (c *Cache[M]) Restore(s Snapshot[M], at time.Time, remap func(M) (M, bool)) (Restored, error) {
	if at.IsZero() {
		return Restored{}, &Error{Op: "restore", Detail: "no time", Err: ErrInvalid}
	}
	list, err := s.plain()
	if err != nil {
		return Restored{}, err
	}
	var out Restored
	if remap != nil {
		list, out.Dropped = renamed(list, remap)
	}
	c.mu.Lock()
	defer c.unlock()
	now := c.clock.in(at)
	for i := range list {
		c.restore(&list[i], now, &out)
	}
	return out, nil
}

// plain is a copy of the memberships with plain addresses, when they can be.
func (s Snapshot[M]) plain() ([]Membership[M], error) {
	type key struct {
		group  Group
		member M
		owner  Owner
	}
	out := make([]Membership[M], 0, len(s.Memberships))
	seen := make(map[key]bool, len(s.Memberships))
	for i, m := range s.Memberships {
		m.Group = m.Group.plain()
		m.Sources = plainSources(m.Sources)
		k := key{m.Group, m.Member, m.Owner}
		why := m.check()
		if why == "" && seen[k] {
			why = "is there twice"
		}
		if why != "" {
			return nil, &Error{Op: "restore", Detail: fmt.Sprintf("membership %d: %s", i, why), Err: ErrSnapshot}
		}
		seen[k] = true
		out = append(out, m)
	}
	return out, nil
}

// maxAge bounds what is said of the past to what a record can keep.
const maxAge = math.MaxInt32 * time.Second

func plainSources(list []SourceTimer) []SourceTimer {
	out := make([]SourceTimer, 0, len(list))
	for _, s := range list {
		out = append(out, SourceTimer{Addr: plainAddr(s.Addr), Left: s.Left})
	}
	return out
}

// renamed gives the members their new names, and counts those that are gone.
func renamed[M comparable](list []Membership[M], remap func(M) (M, bool)) (kept []Membership[M], dropped int) {
	kept = list[:0]
	for _, m := range list {
		name, ok := remap(m.Member)
		if !ok || name != name { // a NaN could never be found again
			dropped++
			continue
		}
		m.Member = name
		kept = append(kept, m)
	}
	return kept, dropped
}

// restore takes in one membership.
func (c *Cache[M]) restore(m *Membership[M], now instant, out *Restored) {
	what := Report[M]{Group: m.Group, Member: m.Member, Owner: m.Owner}
	switch {
	case c.current(&what, now) != nil:
		out.Known++
		return
	case c.removed.covers(m.Member, now), c.allow(nil, &what, len(m.Sources), len(m.Sources)) != nil:
		out.Refused++
		return
	}
	out.Restored++
	rec := c.newRecord(&what, now.after(-min(m.Age, maxAge)))
	c.doubt(rec)
	if m.V1 > 0 || m.V2 > 0 {
		x := rec.more()
		x.v1, x.v2 = c.olderHost(now, m.V1), c.olderHost(now, m.V2)
	}
	c.adopt(rec, c.restoredState(m, now), cause{at: now})
}

// restoredState is a membership's state with timers that run from now on.
func (c *Cache[M]) restoredState(m *Membership[M], now instant) filterState {
	f := filterState{timer: c.restoredTimer(m.Owner, m.Left, now), sources: c.state[:0]}
	for _, s := range m.Sources {
		f.sources = append(f.sources, source{addr: s.Addr, deadline: c.restoredTimer(m.Owner, s.Left, now)})
	}
	c.state = f.sources
	return f
}

func (c *Cache[M]) restoredTimer(o Owner, left time.Duration, now instant) instant {
	most := c.timing.gmi
	if o.Kind == Remote {
		most = maxInterval // its lease may be longer
	}
	switch left {
	case 0:
		return stopped
	case Forever:
		return never
	default:
		return now.after(max(min(left, most), c.grace()))
	}
}

func (c *Cache[M]) olderHost(now instant, left time.Duration) instant {
	if left == 0 {
		return stopped
	}
	return now.after(min(left, c.timing.olderHost))
}

// ExpireUnconfirmed ends what was restored and has not been confirmed by a
// report: those who are there have been asked and have had time to answer. It
// counts as silence, at the time at which RemoveOwner would count. It costs
// O(n log n) for n that it ends.
func (c *Cache[M]) ExpireUnconfirmed() {
	c.mu.Lock()
	defer c.unlock()
	now := c.moment()
	for _, rec := range c.inOrder(slices.Collect(maps.Keys(c.unconfirmed))) {
		c.finish(rec, cause{at: now, how: Expired})
	}
}

// doubt notes that a record was restored.
func (c *Cache[M]) doubt(rec *record[M]) {
	if c.unconfirmed == nil {
		c.unconfirmed = make(map[*record[M]]struct{})
	}
	c.unconfirmed[rec] = struct{}{}
}

// confirm notes that a report about a record has come, or that it has ended.
func (c *Cache[M]) confirm(rec *record[M]) {
	if c.unconfirmed == nil {
		return
	}
	delete(c.unconfirmed, rec)
	if len(c.unconfirmed) == 0 {
		c.unconfirmed = nil // which gives its memory back
	}
}
