package modeltest

import (
	"time"

	"pgregory.net/rapid"

	"github.com/ofmcast/ofmcast/mcast"
)

const (
	longestLease = 40 * time.Second
	longestLife  = 300 * time.Second // of anything that is not static, whatever the timing
)

var (
	timings = []mcast.Timing{
		{RV: 2, QI: 125 * time.Second, QRI: 10 * time.Second, LMQI: time.Second, LMQC: 2},
		{RV: 1, QI: 3 * time.Second, QRI: time.Second, LMQI: 500 * time.Millisecond, LMQC: 1},
		{RV: 2, QI: 10 * time.Second, QRI: 2 * time.Second, LMQI: time.Second, LMQC: 3},
		{RV: 3, QI: 20 * time.Second, QRI: 10 * time.Second, LMQI: 2 * time.Second, LMQC: 2},
		// Leaves that take longer than silence does.
		{RV: 1, QI: time.Second, QRI: 500 * time.Millisecond, LMQI: time.Second, LMQC: 4},
	}
	waits = []time.Duration{
		0, time.Second, 500 * time.Millisecond, time.Second - 1, time.Second + 1, 300 * time.Millisecond, 1,
		2 * time.Second, 2*time.Second - 1, 3 * time.Second, 10 * time.Second, 100 * time.Second, 260 * time.Second, 270 * time.Second,
	}
	paces = []pace{
		stopping, stopping, stopping, stopping, stopping, stopping, nextTime, nextTime, nextTime, justBefore, justBefore, jumping, unheard,
	}
	lates = []time.Duration{0, 0, 0, 0, 0, 0, 0, 0, 1, time.Second, 3 * time.Second, 300 * time.Second}
	// Most reports are about one member of one group, so that they meet.
	reported  = []mcast.Group{groups[0], groups[0], groups[0], groups[0], groups[1], groups[2]}
	reporting = []string{"a", "a", "a", "a", "b", "b", "c"}
	remaps    = []map[string]string{
		nil, nil,
		{"a": "b", "b": "a", "c": "c"},
		{"a": "a", "b": "a", "c": "a"},
		{"b": "c"},
	}
)

func one[T any](t *rapid.T, list []T) T { return rapid.SampledFrom(list).Draw(t, "") }

// drawSetup draws what a history starts with.
func drawSetup(t *rapid.T) setup {
	s := setup{timing: drawTiming(t), policy: map[string]mcast.LeavePolicy{}, sorted: one(t, []bool{false, true})}
	for _, m := range members {
		s.policy[m] = one(t, []mcast.LeavePolicy{mcast.QueryEach, mcast.QueryEach, mcast.QueryLast, mcast.Immediate})
	}
	s.limits = one(t, []mcast.Limits{
		{}, {}, {}, {}, {SourcesPerMember: 2}, {Sources: 4}, {TotalSourcesPerMember: 3}, {Memberships: 3}, {GroupsPerMember: 1}, {Removals: 1},
	})
	return s
}

func drawTiming(t *rapid.T) mcast.Timing {
	timing := one(t, timings)
	timing.NonQuerier = one(t, []bool{false, false, false, true})
	return timing
}

func drawStep(t *rapid.T) step {
	s := step{pace: one(t, paces), do: drawAction(t)}
	if s.pace != nextTime && s.pace != justBefore {
		s.wait = one(t, waits)
	}
	if _, ok := s.do.(report); !ok && s.pace == unheard {
		s.pace = jumping
	}
	return s
}

func drawAction(t *rapid.T) action {
	switch rapid.IntRange(0, 29).Draw(t, "") {
	case 20:
		return drawRemoval(t)
	case 21:
		return removeOwner{one(t, owners)}
	case 22:
		return drawSeen(t)
	case 23:
		return setTiming(drawTiming(t))
	case 24:
		return hold(one(t, []bool{true, true, false}))
	case 25:
		return one(t, []action{keep{}, keep{}, expireUnconfirmed{}, lateSink{}})
	case 26:
		return restore{restart: one(t, []bool{false, true}), gap: one(t, waits), remap: one(t, remaps)}
	case 27, 28:
		return drawFaults(t)
	case 29:
		return one(t, []action{resync{1}, resync{2}, deaf(true), deaf(false)})
	default:
		return drawReport(t)
	}
}

func drawReport(t *rapid.T) report {
	r := report{late: one(t, lates)}
	r.Version = one(t, []uint8{3, 3, 3, 3, 2, 1})
	r.Owner = one(t, []mcast.Owner{owners[0], owners[0], owners[0], owners[0], owners[0], owners[0], owners[1], owners[2]})
	if r.Owner.Kind == mcast.Remote {
		r.Lease = one(t, []time.Duration{0, 1500 * time.Millisecond, longestLease})
	}
	r.Group, r.Member = one(t, reported), one(t, reporting)
	switch r.Version {
	case 1:
		r.Kind = mcast.ModeIsExclude
	case 2: // a leave, or a report
		r.Kind = one(t, []mcast.Kind{mcast.ModeIsExclude, mcast.ChangeToInclude})
	default:
		r.Kind = one(t, kinds)
		r.Sources = drawSources(t, r.Group)
	}
	return r
}

var kinds = []mcast.Kind{
	mcast.ChangeToExclude, mcast.ChangeToInclude, mcast.AllowNewSources, mcast.BlockOldSources, mcast.ModeIsInclude, mcast.ModeIsExclude,
}

// drawSources draws some sources in any order, one of them twice at times.
func drawSources(t *rapid.T, g mcast.Group) []source {
	return rapid.SliceOfN(rapid.SampledFrom(sourcesOf(g)), 0, 4).Draw(t, "")
}

func drawRemoval(t *rapid.T) removeMember {
	return removeMember{one(t, members), one(t, lates)}
}

func drawSeen(t *rapid.T) querySeen {
	q := querySeen{late: one(t, []time.Duration{0, 0, time.Second})}
	q.Group, q.Suppress = one(t, reported), one(t, []bool{false, false, false, true})
	q.Sources = drawSources(t, q.Group)
	q.MaxResponse = one(t, []time.Duration{time.Second, 500 * time.Millisecond})
	return q
}

func drawFaults(t *rapid.T) faults {
	f := faults{sink: one(t, []int{1, 2})}
	f.failing = one(t, []int{0, 1, 3, -1})
	f.takes = one(t, []time.Duration{0, 0, 200 * time.Millisecond, 2500 * time.Millisecond})
	switch one(t, []int{0, 1, 1, 2, 3}) {
	case 1:
		f.meanwhile = drawReport(t)
	case 2:
		f.meanwhile = drawRemoval(t)
	case 3:
		f.meanwhile = resync{f.sink}
	}
	return f
}
