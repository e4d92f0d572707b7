package mcast_test

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/mcast/mcasttest"
)

// model is RFC 9776 section 6 for one member of one group, written from the
// RFC with sets and no thought of speed. Times are whole seconds. Its one
// deviation is that IS_IN {} is TO_IN {}.
type model struct {
	exclude    bool
	groupTimer int
	timers     map[string]int  // A or X, with their ends
	y          map[string]bool // Y
	v1, v2     int
}

const gmi, olderHost, lmqt = 270, 260, 2

func newModel() *model { return &model{timers: map[string]int{}, y: map[string]bool{}} }

func (m *model) expire(now int) {
	for s, end := range m.timers {
		if end <= now {
			delete(m.timers, s)
			if m.exclude {
				m.y[s] = true
			}
		}
	}
	if m.exclude && m.groupTimer <= now {
		m.exclude, m.y = false, map[string]bool{}
	}
}

func (m *model) report(kind mcast.Kind, version int, list []string, now int) {
	m.expire(now)
	if kind == mcast.ModeIsInclude && len(list) == 0 {
		kind = mcast.ChangeToInclude
	}
	v1, v2 := now < m.v1, now < m.v2
	if kind == mcast.BlockOldSources && (v1 || v2) || kind == mcast.ChangeToInclude && v1 {
		return
	}
	if kind == mcast.ChangeToExclude && (v1 || v2) {
		list = nil
	}
	in := map[string]bool{}
	for _, s := range list {
		in[s] = true
	}
	var q []string // Send Q(G,q)
	sendGroup := false
	if m.exclude {
		q, sendGroup = m.inExclude(kind, in, now)
	} else {
		q = m.inInclude(kind, in, now)
	}
	for _, s := range q {
		m.timers[s] = min(m.timers[s], now+lmqt)
	}
	if sendGroup {
		m.groupTimer = min(m.groupTimer, now+lmqt)
	}
	if kind == mcast.ModeIsExclude || kind == mcast.ChangeToExclude {
		switch version {
		case 1:
			m.v1 = now + olderHost
		case 2:
			m.v2 = now + olderHost
		}
	}
	m.expire(now)
}

func (m *model) inInclude(kind mcast.Kind, list map[string]bool, now int) (q []string) {
	a := m.timers
	switch kind {
	case mcast.ModeIsInclude, mcast.AllowNewSources, mcast.ChangeToInclude:
		for s := range a {
			if kind == mcast.ChangeToInclude && !list[s] {
				q = append(q, s) // Q(G,A-B)
			}
		}
		for s := range list {
			a[s] = now + gmi
		}
	case mcast.BlockOldSources:
		for s := range a {
			if list[s] {
				q = append(q, s) // Q(G,A*B)
			}
		}
	case mcast.ModeIsExclude, mcast.ChangeToExclude:
		m.exclude, m.groupTimer = true, now+gmi
		m.timers = map[string]int{}
		for s := range list {
			if end, known := a[s]; known {
				m.timers[s] = end // A*B
				if kind == mcast.ChangeToExclude {
					q = append(q, s)
				}
			} else {
				m.y[s] = true // B-A
			}
		}
	}
	return q
}

func (m *model) inExclude(kind mcast.Kind, list map[string]bool, now int) (q []string, sendGroup bool) {
	x, y := m.timers, m.y
	switch kind {
	case mcast.ModeIsInclude, mcast.AllowNewSources, mcast.ChangeToInclude:
		if kind == mcast.ChangeToInclude {
			sendGroup = true
			for s := range x {
				if !list[s] {
					q = append(q, s) // Q(G,X-A)
				}
			}
		}
		for s := range list {
			x[s] = now + gmi
			delete(y, s)
		}
	case mcast.BlockOldSources:
		for s := range list {
			if y[s] {
				continue
			}
			if _, known := x[s]; !known {
				x[s] = m.groupTimer // A-X-Y
			}
			q = append(q, s) // Q(G,A-Y)
		}
	case mcast.ModeIsExclude, mcast.ChangeToExclude:
		m.timers, m.y = map[string]int{}, map[string]bool{}
		for s := range list {
			end, known := x[s]
			switch {
			case y[s]:
				m.y[s] = true // Y*A
				continue
			case known:
				m.timers[s] = end
			case kind == mcast.ModeIsExclude:
				m.timers[s] = now + gmi // A-X-Y
			default:
				m.timers[s] = m.groupTimer
			}
			if kind == mcast.ChangeToExclude {
				q = append(q, s) // Q(G,A-Y)
			}
		}
		m.groupTimer = now + gmi
	}
	return q, sendGroup
}

// String is the visible filter.
func (m *model) String() string {
	var list []string
	if m.exclude {
		for s := range m.y {
			list = append(list, s)
		}
		slices.Sort(list)
		return "EXCLUDE{" + strings.Join(list, ", ") + "}"
	}
	for s := range m.timers {
		list = append(list, s)
	}
	slices.Sort(list)
	return "INCLUDE{" + strings.Join(list, ", ") + "}"
}

// TestRandomHistoriesAgreeWithTheRFC plays random reports of all kinds and
// versions into the cache and into the model, with random steps of time. What
// the cache says, and what its sinks hold by Changes alone, must be the model.
func TestRandomHistoriesAgreeWithTheRFC(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := mcast.New(mcast.Config[string]{Query: func(context.Context, mcast.QueryRequest[string]) error { return nil }})
		mirror, told := mirror{}, mirror{}
		watcher := c.Watch(0)
		_, err := c.AddSink("mirror", mirror, plain)
		require.NoError(t, err)
		_, err = c.AddSink("recorder", &mcasttest.Recorder[string]{}, mcast.SinkConfig{})
		require.NoError(t, err)
		want := map[string]*model{}
		now := 0
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			now += rapid.SampledFrom([]int{0, 0, 1, 1, 2, 3, 60, 125, 260, 270}).Draw(t, "wait")
			if rapid.Bool().Draw(t, "advance before") {
				c.Advance(sec(float64(now)))
			}
			member := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "member")
			kind := mcast.Kind(rapid.IntRange(1, 6).Draw(t, "kind"))
			list := rapid.SliceOfN(rapid.SampledFrom(addrs(s1, s2, s3)), 0, 4).Draw(t, "list")
			version := rapid.SampledFrom([]int{3, 3, 3, 2, 1}).Draw(t, "version")
			if version < 3 {
				list = nil
				kind = rapid.SampledFrom([]mcast.Kind{mcast.ModeIsExclude, mcast.ChangeToInclude}).Draw(t, "old kind")
			}
			applyBoth(t, c, want, mcast.Report[string]{Group: g1, Member: member, Kind: kind, Sources: list, Version: uint8(version), At: sec(float64(now))}, now)
			c.Advance(sec(float64(now)))
			require.NoError(t, c.Flush(context.Background()))
			compare(t, c, want, mirror, now)
			told.hear(t, watcher)
			require.Equal(t, mirror, told)
		}
		c.Advance(sec(float64(now + 2*gmi)))
		require.NoError(t, c.Flush(context.Background()))
		stats := c.Statistics()
		require.Zero(t, stats.Memberships+stats.Members+stats.Sources)
		require.Empty(t, mirror)
		told.hear(t, watcher)
		require.Empty(t, told)
		require.Equal(t, stats.Joins, stats.Leaves+stats.Expiries+stats.Removals)
	})
}

func applyBoth(t *rapid.T, c *mcast.Cache[string], want map[string]*model, r mcast.Report[string], now int) {
	require.NoError(t, c.Apply(r))
	m := want[r.Member]
	if m == nil {
		m = newModel()
		want[r.Member] = m
	}
	m.expire(now)
	if m.String() == "INCLUDE{}" {
		// A member that is not there has no memory of older hosts; a leave of
		// one does nothing.
		*m = *newModel()
	}
	m.report(r.Kind, int(r.Version), names(r.Sources), now)
}

func names(list []netip.Addr) []string {
	var out []string
	for _, s := range list {
		out = append(out, s.String())
	}
	return out
}

func compare(t *rapid.T, c *mcast.Cache[string], want map[string]*model, mirror mirror, now int) {
	s, _ := c.Lookup(g1)
	got, should := map[string]string{}, map[string]string{}
	for m, f := range s.All() {
		got[m] = f.String()
	}
	for name, m := range want {
		m.expire(now)
		if m.String() != "INCLUDE{}" {
			should[name] = m.String()
		}
	}
	require.Equal(t, should, got)
	require.Equal(t, should, map[string]string(mirror))
	for src, members := range s.Forwarding() {
		var accept []string
		for m, f := range s.All() {
			if src.IsValid() && f.Accepts(src) || !src.IsValid() && f.Mode() == mcast.Exclude {
				accept = append(accept, m)
			}
		}
		require.Equal(t, accept, slices.Collect(members))
	}
}

// mirror keeps the members of one group by nothing but Changes, or events.
type mirror map[string]string

// hear takes in the events that are there.
func (k mirror) hear(t *rapid.T, w *mcast.Watcher[string]) {
	for e, ok := w.TryNext(); ok; e, ok = w.TryNext() {
		require.NoError(t, k.change(e.Member, e.Change))
	}
}

func (k mirror) change(m string, c mcast.Change) error {
	if had, ok := k[m]; ok && had != c.Old.String() || ok != (c.Kind != mcast.Joined) {
		return fmt.Errorf("%s: %v, but it was %q", m, c, had)
	}
	if c.New.IsNone() {
		delete(k, m)
	} else {
		k[m] = c.New.String()
	}
	return nil
}

func (k mirror) Sync(_ context.Context, s mcast.State[string]) error {
	n := 0
	for m, c := range s.Changes() {
		n++
		if err := k.change(m, c); err != nil {
			return err
		}
	}
	if n == 0 || len(k) != s.Len() {
		return fmt.Errorf("%d changes, %d members, the state has %d", n, len(k), s.Len())
	}
	return nil
}
