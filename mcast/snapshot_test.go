package mcast_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/mcast"
)

// restored is a new cache that takes over from r at a time of its own clock,
// with the snapshot going through its encoding.
func (r *rig) restored(s float64, cfg mcast.Config[string]) (*rig, mcast.Restored) {
	snap := reread(r.t, r.c.Snapshot())
	n := newRig(r.t, cfg)
	n.to(s)
	done, err := n.c.Restore(snap, sec(s), nil)
	require.NoError(r.t, err)
	n.flush()
	return n, done
}

func reread(t *testing.T, s mcast.Snapshot[string]) (out mcast.Snapshot[string]) {
	text, err := s.MarshalJSON()
	require.NoError(t, err)
	require.NoError(t, out.UnmarshalJSON(text))
	require.Equal(t, s.Memberships, append([]mcast.Membership[string](nil), out.Memberships...))
	return out
}

// left are what the timers of a group have left, in seconds.
func (r *rig) left(g mcast.Group) string {
	out := ""
	for _, m := range r.c.Memberships(g) {
		out += fmt.Sprintf("%s %v %s", m.Member, m.Mode, short(m.Left))
		for _, s := range m.Sources {
			out += fmt.Sprintf(" %d:%s", s.Addr.As4()[3], short(s.Left))
		}
		out += ";"
	}
	return out
}

func short(d time.Duration) string {
	if d == mcast.Forever {
		return "forever"
	}
	return fmt.Sprint(d.Seconds())
}

func TestT1_RestoredTimersGoOnWithWhatTheyHadLeft(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	r.report(0, g1, "a", mcast.ModeIsExclude, s1)
	r.report(0, g1, "b", mcast.AllowNewSources, s1, s2)
	r.report(50, g1, "b", mcast.AllowNewSources, s1)
	r.report(60, g1, "a", mcast.AllowNewSources, s2)
	r.owned(70, static, g1, "a", mcast.ModeIsExclude, s3)
	r.owned(80, node1, g2, "c", mcast.ModeIsExclude)
	r.to(100)
	want := r.left(g1)
	require.Equal(t, "a EXCLUDE 170 1:0 2:230;a EXCLUDE forever 3:0;b INCLUDE 0 1:220 2:170;", want)

	n, done := r.restored(5000, mcast.Config[string]{})
	require.Equal(t, mcast.Restored{Restored: 4}, done)
	require.Equal(t, want, n.left(g1))
	require.Equal(t, "c EXCLUDE 250;", n.left(g2))
	require.Equal(t, r.has(g1), n.has(g1))
	require.Equal(t, r.has(g1), members(n.Holds()[g1]), "sinks are told")
	n.to(5249)
	require.NotEmpty(t, n.has(g2))
	n.to(5250)
	require.Empty(t, n.has(g2))
	n.to(1e6)
	require.Equal(t, "a:EXCLUDE{198.51.100.3}", n.has(g1))
	stats := n.c.Statistics()
	require.Equal(t, stats.Joins, stats.Expiries+uint64(stats.Members))
	require.Equal(t, 1, stats.Sources)
}

func TestT2_ARestoredTimerIsNeitherTooShortNorTooLong(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	r.report(0, g1, "a", mcast.AllowNewSources, s1)
	r.report(100, g1, "a", mcast.AllowNewSources, s2)
	lease := mcast.Join(g2, "a", sec(100))
	lease.Owner, lease.Lease = node1, time.Hour
	require.NoError(t, r.c.Apply(lease))
	r.to(269)
	n, _ := r.restored(0, mcast.Config[string]{Timing: mcast.Timing{QI: 20 * time.Second, QRI: 4 * time.Second}})
	require.Equal(t, "a INCLUDE 0 1:5 2:48;", n.left(g1))
	require.Equal(t, "a EXCLUDE 3431;", n.left(g2), "a lease may be longer")

	r = newRig(t, mcast.Config[string]{})
	r.old(0, g1, "a", 1, mcast.ModeIsExclude)
	n, _ = r.restored(0, mcast.Config[string]{Timing: mcast.Timing{QI: 20 * time.Second, QRI: 4 * time.Second}})
	require.Equal(t, 44*time.Second, n.c.Memberships(g1)[0].V1, "nor is an older host there for longer than one that is heard now")
}

// What is read is as of now, whether or not anything was found to have ended.
func TestMembershipsAreReadAsTheyAreNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, mcast.New(mcast.Config[string]{}))
		r.join(g1, "a")
		time.Sleep(100 * time.Second)
		require.Equal(t, 170*time.Second, r.Memberships(g1)[0].Left)
		require.Equal(t, 100*time.Second, r.Memberships(g1)[0].Age)
		r.finish()
	})
	r := newRig(t, mcast.Config[string]{})
	r.join(0, g1, "a")
	r.report(0, g1, "b", mcast.ModeIsExclude, s1)
	r.c.HoldAging(true)
	r.to(265)
	require.Equal(t, "a EXCLUDE 11;b EXCLUDE 11 1:0;", r.left(g1), "a hold gives time")
	require.Nil(t, r.c.Memberships(g2))
	require.Nil(t, r.c.MembershipsOf("nobody"))
}

func TestT3_TheOrderOfMembersAndTheirAgeAreKept(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	for i, m := range []string{"z", "b", "a", "y"} {
		r.join(float64(i), g1, m)
	}
	r.report(5, g1, "z", mcast.ChangeToExclude, s1)
	r.to(10)
	n, _ := r.restored(0, mcast.Config[string]{})
	require.Equal(t, r.has(g1), n.has(g1))
	n.join(1, g1, "c")
	require.Equal(t, r.has(g1)+" c:EXCLUDE{}", n.has(g1))
	ages := []time.Duration{}
	for _, m := range n.c.Memberships(g1) {
		ages = append(ages, m.Age/time.Second)
	}
	require.Equal(t, []time.Duration{11, 10, 9, 8, 0}, ages)
}

func TestT4_WhatIsRestoredIsUnconfirmedUntilAReport(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	for _, m := range []string{"silent", "answers", "leaves", "changes"} {
		r.join(0, g1, m)
	}
	r.owned(0, static, g2, "configured", mcast.ModeIsExclude)
	r.owned(0, static, g2, "forgotten", mcast.ModeIsExclude)
	n, _ := r.restored(0, mcast.Config[string]{Leave: immediate})
	w := n.c.Watch(0)
	require.Equal(t, 6, n.c.Statistics().Unconfirmed)
	n.report(1, g1, "answers", mcast.ModeIsExclude)
	n.report(1, g1, "changes", mcast.ModeIsExclude, s1)
	n.leave(1, g1, "leaves")
	n.owned(1, static, g2, "configured", mcast.ModeIsExclude)
	require.Equal(t, 2, n.c.Statistics().Unconfirmed)
	require.True(t, n.c.MembershipsOf("silent")[0].Unconfirmed)
	require.False(t, n.c.MembershipsOf("answers")[0].Unconfirmed)
	heard(w)
	n.to(11)
	n.c.ExpireUnconfirmed()
	n.flush()
	require.Equal(t, []string{
		"11.0 233.252.0.1 silent expired EXCLUDE{}",
		"11.0 233.252.0.2 forgotten expired EXCLUDE{} by static ",
	}, heard(w))
	require.Equal(t, "answers:EXCLUDE{} changes:EXCLUDE{}", n.has(g1))
	require.Equal(t, "configured:EXCLUDE{}", n.has(g2))
	require.Zero(t, n.c.Statistics().Unconfirmed)
	n.c.ExpireUnconfirmed()
	require.Equal(t, 3, n.c.Statistics().Members)
}

func TestAnUnconfirmedMemberThatExpiresOrIsRemovedIsCountedOff(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	r.join(0, g1, "a")
	r.join(0, g1, "b")
	n, _ := r.restored(0, mcast.Config[string]{})
	n.c.RemoveMember("a", sec(1))
	require.Equal(t, 1, n.c.Statistics().Unconfirmed)
	n.to(270)
	require.Zero(t, n.c.Statistics().Unconfirmed)
}

func TestT5_RemapRenamesAndDrops(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	for _, m := range []string{"p1", "p2", "gone", "other"} {
		r.join(0, g1, m)
	}
	n := newRig(t, mcast.Config[string]{})
	names := map[string]string{"p1": "p2", "p2": "p1", "other": "p1"} // numbers that were swapped
	done, err := n.c.Restore(r.c.Snapshot(), sec(0), func(m string) (string, bool) {
		_ = n.c.Statistics() // no lock is held
		name, ok := names[m]
		return name, ok
	})
	require.NoError(t, err)
	require.Equal(t, mcast.Restored{Restored: 2, Dropped: 1, Known: 1}, done)
	require.Equal(t, "p2:EXCLUDE{} p1:EXCLUDE{}", n.has(g1))
}

func TestT6_WhatIsKnownIsNewerThanASnapshot(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	r.report(0, g1, "a", mcast.ModeIsInclude, s1)
	r.owned(0, static, g1, "a", mcast.ModeIsInclude, s2)
	r.join(0, g1, "b")
	n := newRig(t, mcast.Config[string]{})
	n.report(0, g1, "a", mcast.ModeIsInclude, s3)
	n.c.RemoveMember("b", sec(0))
	done, err := n.c.Restore(r.c.Snapshot(), sec(0), nil)
	require.NoError(t, err)
	require.Equal(t, mcast.Restored{Known: 1, Restored: 1, Refused: 1}, done)
	require.Equal(t, "a:INCLUDE{198.51.100.2, 198.51.100.3}", n.has(g1))

	// What has ended by then is not known any more.
	done, err = n.c.Restore(r.c.Snapshot(), sec(300), nil)
	require.NoError(t, err)
	require.Equal(t, mcast.Restored{Known: 1, Restored: 2}, done)
	require.Equal(t, "a:INCLUDE{198.51.100.1, 198.51.100.2} b:EXCLUDE{}", n.has(g1))
}

func TestT7_ASnapshotThatCannotBeChangesNothing(t *testing.T) {
	good := func() mcast.Membership[string] {
		return mcast.Membership[string]{Group: g1, Member: "a", Mode: mcast.Exclude, Left: time.Minute,
			Sources: []mcast.SourceTimer{{Addr: s1}, {Addr: s2, Left: time.Second}}}
	}
	faults := map[string]func(*mcast.Membership[string]){
		"unicast group":      func(m *mcast.Membership[string]) { m.Group.Addr = s1 },
		"no group":           func(m *mcast.Membership[string]) { m.Group = mcast.Group{} },
		"owner":              func(m *mcast.Membership[string]) { m.Owner.Kind = 7 },
		"mode":               func(m *mcast.Membership[string]) { m.Mode = 0 },
		"negative left":      func(m *mcast.Membership[string]) { m.Left = -1 },
		"negative age":       func(m *mcast.Membership[string]) { m.Age = -1 },
		"negative v1":        func(m *mcast.Membership[string]) { m.V1 = -1 },
		"negative v2":        func(m *mcast.Membership[string]) { m.V2 = -1 },
		"exclude ended":      func(m *mcast.Membership[string]) { m.Left = 0 },
		"learned for ever":   func(m *mcast.Membership[string]) { m.Left = mcast.Forever },
		"static ends":        func(m *mcast.Membership[string]) { m.Owner.Kind = mcast.Static },
		"include has timer":  func(m *mcast.Membership[string]) { m.Mode = mcast.Include },
		"include of nothing": func(m *mcast.Membership[string]) { m.Mode, m.Left, m.Sources = mcast.Include, 0, nil },
		"include blocked":    func(m *mcast.Membership[string]) { m.Mode, m.Left = mcast.Include, 0 },
		"multicast source":   func(m *mcast.Membership[string]) { m.Sources[0].Addr = g2.Addr },
		"sources twice":      func(m *mcast.Membership[string]) { m.Sources[1].Addr = s1 },
		"unordered sources":  func(m *mcast.Membership[string]) { m.Sources[0].Addr = s3 },
		"negative source":    func(m *mcast.Membership[string]) { m.Sources[1].Left = -1 },
		"source for ever":    func(m *mcast.Membership[string]) { m.Sources[1].Left = mcast.Forever },
		"member twice":       func(m *mcast.Membership[string]) { m.Member = "first" },
	}
	first := good()
	first.Member = "first"
	for name, spoil := range faults {
		r := newRig(t, mcast.Config[string]{})
		bad := good()
		done, err := r.c.Restore(mcast.Snapshot[string]{Memberships: []mcast.Membership[string]{first, bad}}, sec(0), nil)
		require.NoError(t, err)
		require.Equal(t, 2, done.Restored)

		r = newRig(t, mcast.Config[string]{})
		spoil(&bad)
		done, err = r.c.Restore(mcast.Snapshot[string]{Memberships: []mcast.Membership[string]{first, bad}}, sec(0), nil)
		require.ErrorIs(t, err, mcast.ErrSnapshot, name)
		require.ErrorContains(t, err, "membership 1: ", name)
		require.Zero(t, done, name)
		require.Zero(t, r.c.Statistics().Groups, name)
	}
	r := newRig(t, mcast.Config[string]{})
	_, err := r.c.Restore(mcast.Snapshot[string]{}, time.Time{}, nil)
	require.ErrorIs(t, err, mcast.ErrInvalid)
}

func TestT8_LimitsHoldForWhatIsRestored(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	for i := range 10 {
		r.join(0, nth(i), "a")
	}
	r.report(0, nth(0), "b", mcast.ModeIsInclude, s1, s2)
	n, done := r.restored(0, mcast.Config[string]{Limits: mcast.Limits{GroupsPerMember: 7, SourcesPerMember: 1}})
	require.Equal(t, mcast.Restored{Restored: 7, Refused: 4}, done)
	require.Equal(t, uint64(4), n.c.Statistics().RefusedLimit)
	require.Zero(t, n.c.Statistics().Sources)
}

// The check of a leave is not carried on: who restores asks everybody.
func TestALeaveUnderWayIsRestoredAsAMembership(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	r.join(0, g1, "a")
	r.report(0, g1, "b", mcast.ModeIsInclude, s1)
	r.leave(10, g1, "a")
	r.leave(10, g1, "b")
	require.True(t, r.c.MembershipsOf("a")[0].Leaving)
	require.True(t, r.c.MembershipsOf("b")[0].Leaving)
	n, _ := r.restored(0, mcast.Config[string]{})
	require.Equal(t, "a EXCLUDE 11;b INCLUDE 0 1:11;", n.left(g1))
	require.False(t, n.c.MembershipsOf("a")[0].Leaving)
	n.to(11)
	require.Empty(t, n.has(g1))
	require.Empty(t, n.queries())
	require.Equal(t, uint64(2), n.c.Statistics().Expiries)
}

func TestOlderHostsAreRestored(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	r.old(0, g1, "a", 1, mcast.ModeIsExclude)
	r.old(20, g1, "a", 2, mcast.ModeIsExclude)
	r.to(30)
	m := r.c.Memberships(g1)[0]
	require.Equal(t, [3]time.Duration{230 * time.Second, 250 * time.Second, 1}, [3]time.Duration{m.V1, m.V2, time.Duration(m.Version())})
	n, _ := r.restored(0, mcast.Config[string]{})
	n.leave(229, g1, "a")
	require.Equal(t, uint64(1), n.c.Statistics().IgnoredOlderHost)
	require.True(t, n.c.Memberships(g1)[0].Unconfirmed, "what means nothing confirms nothing")
	n.to(230)
	require.Equal(t, uint8(2), n.c.Memberships(g1)[0].Version())
	n.report(251, g1, "a", mcast.BlockOldSources, s1)
	require.Equal(t, uint64(1), n.c.Statistics().IgnoredOlderHost)
	require.Equal(t, uint8(3), n.c.Memberships(g1)[0].Version())
}
