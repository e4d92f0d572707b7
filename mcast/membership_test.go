package mcast_test

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/mcast"
)

func TestM1_EachMemberHasItsOwnTimer(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	r.join(0, g1, "a")
	r.join(0, g1, "b")
	r.report(125, g1, "b", mcast.ModeIsExclude)
	r.report(250, g1, "b", mcast.ModeIsExclude)
	r.to(269.999)
	require.Equal(t, "a:EXCLUDE{} b:EXCLUDE{}", r.has(g1))
	r.to(270)
	require.Equal(t, "b:EXCLUDE{}", r.has(g1))
}

func TestM2_IncludeOfNothingIsALeaveInBothForms(t *testing.T) {
	for _, leave := range []mcast.Kind{mcast.ChangeToInclude, mcast.ModeIsInclude} {
		r := newRig(t, mcast.Config[string]{})
		r.join(0, g1, "port1")
		r.report(10, g1, "port1", leave)
		r.to(11.9)
		require.Equal(t, "port1:EXCLUDE{}", r.has(g1))
		r.to(12)
		require.Empty(t, r.has(g1), "%v", leave)

		r.report(20, g2, "port1", leave)
		require.Equal(t, 0, r.c.Statistics().Groups, "a leave creates nothing")
	}
}

func TestM3_WhenTheGroupTimerEndsTheSourcesThatRunAreWanted(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	r.report(0, g1, "port1", mcast.ChangeToExclude, s3)
	r.report(100, g1, "port1", mcast.AllowNewSources, s1)
	require.Equal(t, "port1:EXCLUDE{198.51.100.3}", r.has(g1))
	r.to(270)
	require.Equal(t, "port1:INCLUDE{198.51.100.1}", r.has(g1))
	r.to(369.9)
	require.Equal(t, "port1:INCLUDE{198.51.100.1}", r.has(g1))
	r.to(370)
	require.Empty(t, r.has(g1))
}

// A source whose timer ends in EXCLUDE mode is not wanted any more: it goes
// from X to Y (RFC 9776 section 6.3).
func TestASourceThatEndsInExcludeModeIsBlocked(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	r.report(0, g1, "port1", mcast.ChangeToExclude)
	r.report(10, g1, "port1", mcast.BlockOldSources, s1)
	require.Equal(t, "port1:EXCLUDE{}", r.has(g1))
	r.to(12)
	require.Equal(t, "port1:EXCLUDE{198.51.100.1}", r.has(g1))
}

func TestM4_WithAVersion2HostBlockAndTheListOfToExAreIgnored(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	r.old(0, g1, "port1", 2, mcast.ModeIsExclude)
	r.report(10, g1, "port1", mcast.BlockOldSources, s1)
	r.report(10, g1, "port1", mcast.ChangeToExclude, s1, s2)
	r.to(20)
	require.Equal(t, "port1:EXCLUDE{}", r.has(g1))
	require.Empty(t, r.queries())

	// Until 260 s after the v2 host was heard last, then version 3 again.
	r.report(259.9, g1, "port1", mcast.ChangeToExclude, s1)
	require.Equal(t, "port1:EXCLUDE{}", r.has(g1))
	r.report(260, g1, "port1", mcast.ModeIsExclude, s1)
	r.report(260, g1, "port1", mcast.ChangeToExclude, s1)
	r.to(262)
	require.Equal(t, "port1:EXCLUDE{198.51.100.1}", r.has(g1))

	// A leave of IGMPv2 counts.
	r.old(300, g1, "port1", 2, mcast.ModeIsExclude)
	r.old(310, g1, "port1", 2, mcast.ChangeToInclude)
	r.to(312)
	require.Empty(t, r.has(g1))
}

func TestM5_WithAVersion1HostLeavesAreIgnoredToo(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	r.old(0, g1, "port1", 1, mcast.ModeIsExclude)
	r.old(0, g1, "port1", 2, mcast.ModeIsExclude)
	r.old(10, g1, "port1", 2, mcast.ChangeToInclude)
	r.report(20, g1, "port1", mcast.ChangeToInclude, s1)
	r.report(30, g1, "port1", mcast.ModeIsInclude)
	r.to(100)
	require.Empty(t, r.queries())
	require.Equal(t, uint64(3), r.c.Statistics().IgnoredOlderHost)
	r.leave(259.9, g1, "port1")
	require.Empty(t, r.queries(), "compatibility mode until 260")
	r.to(269.9)
	require.Equal(t, "port1:EXCLUDE{}", r.has(g1))
	r.to(270)
	require.Empty(t, r.has(g1), "membership until 270")
}

// The mode falls back step by step: to version 2 while a v2 host is there.
func TestAfterTheVersion1HostTheVersion2HostCounts(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	r.old(0, g1, "port1", 1, mcast.ModeIsExclude)
	r.old(200, g1, "port1", 2, mcast.ModeIsExclude)
	r.report(261, g1, "port1", mcast.BlockOldSources, s1)
	require.Equal(t, uint64(1), r.c.Statistics().IgnoredOlderHost)
	r.leave(262, g1, "port1")
	r.to(264)
	require.Empty(t, r.has(g1))
}

// Reports of version 3 on a segment that is queried in another version are
// taken as they are.
func TestVersion3HostsAreUnderstoodWhateverIsQueried(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	for s := 0.0; s <= 1000; s += 125 {
		r.join(s, g1, "port3")
	}
	require.Equal(t, "port3:EXCLUDE{}", r.has(g1))
	require.Equal(t, 1, r.Len())
}

func TestM6_AMembershipEndsAfterTheMembershipInterval(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	r.report(0, g1, "port1", mcast.ModeIsInclude, s1, s2)
	r.report(100, g1, "port1", mcast.ModeIsInclude, s2)
	r.to(269.9)
	require.Equal(t, "port1:INCLUDE{198.51.100.1, 198.51.100.2}", r.has(g1))
	r.to(270)
	require.Equal(t, "port1:INCLUDE{198.51.100.2}", r.has(g1))
	r.to(370)
	require.Empty(t, r.has(g1))
	require.Equal(t, uint64(1), r.c.Statistics().Expiries)

	short := mcast.Timing{RV: 3, QI: 10e9, QRI: 2e9}
	require.Equal(t, 34e9, float64(short.GMI()))
	r = newRig(t, mcast.Config[string]{Timing: short})
	r.join(0, g1, "port1")
	r.to(33.9)
	require.NotEmpty(t, r.has(g1))
	r.to(34)
	require.Empty(t, r.has(g1))
}

func TestM7_ARefreshAllocatesNothingAndCallsNoSink(t *testing.T) {
	refreshes := map[string]mcast.Report[string]{
		"IS_EX{}":            {Kind: mcast.ModeIsExclude},
		"TO_EX{} again":      {Kind: mcast.ChangeToExclude},
		"IS_EX{} by IGMPv2":  {Kind: mcast.ModeIsExclude, Version: 2},
		"IS_EX with sources": {Kind: mcast.ModeIsExclude, Sources: []netip.Addr{s3, s1, s2}},
		"IS_IN with sources": {Kind: mcast.ModeIsInclude, Sources: []netip.Addr{s3, s1, s2}},
		"ALLOW again":        {Kind: mcast.AllowNewSources, Sources: []netip.Addr{s3, s1, s2}},
	}
	for name, report := range refreshes {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, mcast.Config[string]{})
			for _, m := range ports(100) {
				r.join(0, g2, m)
			}
			report.Group, report.Member, report.At = g1, "port1", sec(0)
			require.NoError(t, r.c.Apply(report))
			require.NoError(t, r.c.Apply(report))
			r.flush()
			calls, was := r.Len(), r.has(g1)
			now := 1.0
			require.Zero(t, testing.AllocsPerRun(100, func() {
				now++
				report.At = sec(now)
				_ = r.c.Apply(report)
			}))
			r.flush()
			require.Equal(t, was, r.has(g1))
			require.Equal(t, calls, r.Len())
		})
	}
}

func TestM8_WhatIsOverALimitIsRefusedAndDisturbsNothing(t *testing.T) {
	join := func(g mcast.Group, m string, sources ...netip.Addr) mcast.Report[string] {
		return mcast.Report[string]{Group: g, Member: m, Kind: mcast.AllowNewSources, Sources: sources, At: sec(1)}
	}
	tests := map[string]struct {
		limits     mcast.Limits
		over, fits mcast.Report[string]
	}{
		"groups":             {mcast.Limits{Groups: 2}, join(g3, "c", s1), join(g2, "c", s1)},
		"memberships":        {mcast.Limits{Memberships: 3}, join(g2, "c", s1), join(g2, "a", s1, s2)},
		"groups of a member": {mcast.Limits{GroupsPerMember: 2}, join(g3, "a", s1), join(g3, "b", s1)},
		"sources of a member": {mcast.Limits{SourcesPerMember: 2}, join(g1, "a", s2, s3),
			join(g1, "a", s1, s2)},
		"sources of a member over all groups": {mcast.Limits{TotalSourcesPerMember: 3}, join(g3, "a", s1, s2),
			join(g2, "a", s1, s2)},
		"sources": {mcast.Limits{Sources: 4}, join(g3, "c", s1, s2), join(g3, "c", s1)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, mcast.Config[string]{Limits: test.limits})
			for _, report := range []mcast.Report[string]{join(g1, "a", s1), join(g1, "b", s1), join(g2, "a", s1)} {
				require.NoError(t, r.c.Apply(report))
			}
			before := r.c.Statistics()
			require.ErrorIs(t, r.c.Apply(test.over), mcast.ErrLimit)
			require.Equal(t, "a:INCLUDE{198.51.100.1} b:INCLUDE{198.51.100.1}", r.has(g1))
			require.Equal(t, "a:INCLUDE{198.51.100.1}", r.has(g2))
			require.Empty(t, r.has(g3))
			after := r.c.Statistics()
			require.Equal(t, before.Memberships, after.Memberships)
			require.Equal(t, before.Sources, after.Sources)
			require.Equal(t, uint64(1), after.RefusedLimit)
			require.NoError(t, r.c.Apply(test.fits), "who stays within the limit is served")
			require.NoError(t, r.c.Apply(join(g1, "a", s1)), "who is there is refreshed")
		})
	}
}

func TestALimitGivesRoomAgainWhenSomethingEnds(t *testing.T) {
	r := newRig(t, mcast.Config[string]{Limits: mcast.Limits{Groups: 1, Sources: 1}})
	r.report(0, g1, "a", mcast.AllowNewSources, s1)
	require.ErrorIs(t, r.c.Apply(mcast.Join(g2, "a", sec(1))), mcast.ErrLimit)
	r.c.RemoveMember("a", sec(2))
	r.flush()
	r.report(3, g2, "a", mcast.AllowNewSources, s2)
	require.Equal(t, 1, r.c.Statistics().Sources)
}
