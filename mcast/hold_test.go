package mcast_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/mcast"
)

func TestL10_WhileFrozenMembershipsComeButDoNotGo(t *testing.T) {
	r := newRig(t, mcast.Config[string]{Leave: func(m string) mcast.LeavePolicy {
		if m == "alone" {
			return mcast.Immediate
		}
		return mcast.QueryEach
	}})
	for _, m := range []string{"silent", "asked", "alone", "stays", "removed"} {
		r.join(0, g1, m)
	}
	r.owned(0, node1, g2, "tunnel1", mcast.ModeIsExclude)
	r.owned(0, node2, g2, "tunnel2", mcast.ModeIsExclude)
	r.owned(0, static, g2, "static", mcast.ModeIsExclude)
	r.leave(100, g1, "asked")
	r.to(101.5)
	r.c.Freeze(true)
	r.queries()
	r.to(110)
	r.leave(110, g1, "alone")
	r.leave(110, g1, "stays")
	r.owned(110, node1, g2, "tunnel1", mcast.ChangeToInclude)
	require.Equal(t, "silent:EXCLUDE{} asked:EXCLUDE{} alone:EXCLUDE{} stays:EXCLUDE{} removed:EXCLUDE{}", r.has(g1))
	require.Empty(t, r.queries(), "nobody is asked about a leave that does not count")
	r.owned(111, static, g2, "static", mcast.ChangeToInclude)
	r.c.RemoveMember("removed", sec(112))
	r.c.RemoveOwner(node2)
	r.join(113, g1, "new")
	r.to(2000)
	require.Equal(t, "silent:EXCLUDE{} asked:EXCLUDE{} alone:EXCLUDE{} stays:EXCLUDE{} new:EXCLUDE{}", r.has(g1))
	require.Equal(t, "tunnel1:EXCLUDE{}", r.has(g2))

	r.c.Freeze(false)
	r.to(2000)
	r.join(2005, g1, "stays")
	r.to(2010.9)
	require.Equal(t, 5, must(r.c.Lookup(g1)).Len())
	r.to(2011)
	require.Equal(t, "stays:EXCLUDE{}", r.has(g1))
	require.Empty(t, r.has(g2))
}

func must(s mcast.State[string], _ bool) mcast.State[string] { return s }

// A freeze that is over before the check of a leave is does not concern it.
func TestALeaveThatOutlastsAFreezeIsOnTime(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	r.join(0, g1, "group")
	r.report(0, g1, "source", mcast.AllowNewSources, s1)
	r.leave(10, g1, "group")
	r.leave(10, g1, "source")
	r.c.Freeze(true)
	r.to(11.2)
	r.c.Freeze(false)
	r.to(11.9)
	require.Equal(t, "group:EXCLUDE{} source:INCLUDE{198.51.100.1}", r.has(g1))
	r.to(12)
	require.Empty(t, r.has(g1))
}

// A report in a freeze works on timers that go on after it.
func TestAReportInAFreezeForgetsTheLeaveThatItHeldUp(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	r.join(0, g1, "a")
	r.leave(10, g1, "a")
	r.c.Freeze(true)
	r.report(20, g1, "a", mcast.AllowNewSources, s1) // does not touch the group timer
	r.to(25)
	r.c.Freeze(false)
	r.to(25)
	r.to(35.9)
	require.Equal(t, "a:EXCLUDE{}", r.has(g1))
	r.to(36)
	require.Equal(t, "a:INCLUDE{198.51.100.1}", r.has(g1))
}

func TestHoldAndFreezeAreApart(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	r.join(0, g1, "a")
	r.join(0, g1, "b")
	r.c.HoldAging(true)
	r.c.Freeze(true)
	r.to(300)
	r.c.Freeze(false)
	r.leave(400, g1, "b")
	r.to(500)
	require.Equal(t, "a:EXCLUDE{}", r.has(g1), "silence is still held, leaves are not")
	r.c.HoldAging(false)
	r.to(500)
	r.to(510.9)
	require.Equal(t, "a:EXCLUDE{}", r.has(g1))
	r.to(511)
	require.Empty(t, r.has(g1))
}

// A source that is given the group timer is given what has become of it: a hold
// does not keep the source when the group is asked about.
func TestASourceTakesOverTheCheckOfItsGroup(t *testing.T) {
	r := newRig(t, mcast.Config[string]{Timing: mcast.Timing{NonQuerier: true}})
	r.join(0, g1, "port1")
	r.c.HoldAging(true)
	r.to(10)
	r.c.QuerySeen(mcast.SeenQuery{Group: g1, At: sec(10)})
	r.report(10, g1, "port1", mcast.BlockOldSources, s1)
	r.to(11.999)
	require.Equal(t, "port1:EXCLUDE{}", r.has(g1))
	r.to(12)
	require.Empty(t, r.has(g1))
}

// What a hold has made of a timer counts for the S flag too.
func TestTheSFlagKnowsOfAHold(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	r.c.HoldAging(true)
	r.join(270, g1, "port1")
	r.leave(270, g1, "port1")
	r.report(270, g2, "port1", mcast.ModeIsInclude, s1)
	r.report(270, g2, "port1", mcast.BlockOldSources, s1)
	r.to(270.5)
	require.NoError(t, r.c.Apply(mcast.Join(g1, "port1", sec(-10)))) // held: it has QRI + 1 s left
	require.NoError(t, r.c.Apply(mcast.Report[string]{
		Group: g2, Member: "port1", Kind: mcast.AllowNewSources, Sources: addrs(s1), At: sec(-10),
	}))
	r.queries()
	r.to(280)
	require.Equal(t, []string{"271.0 port1 Q(233.252.0.1)/S", "271.0 port1 Q(233.252.0.2 198.51.100.1)/S"}, r.queries())
}

// A hold leaves the time that hosts had to answer while it was on, however short
// that becomes, and one that was left is not taken back by a shorter hold after
// it. When it is over, it is over for all who ask.
func TestAHoldKeepsTheLongestTimeToAnswer(t *testing.T) {
	for name, again := range map[string]bool{"one hold": false, "two holds": true} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, mcast.Config[string]{})
			r.c.HoldAging(true)
			r.report(1, g1, "silent", mcast.ModeIsExclude)
			require.NoError(t, r.c.Apply(mcast.Join(g2, "late", sec(-300))))
			r.c.SetTiming(mcast.Timing{QRI: time.Second})
			r.to(7)
			r.c.HoldAging(false)
			r.to(7)
			r.c.HoldAging(again)
			r.to(8)
			r.c.HoldAging(false)
			r.to(17.999)
			require.Len(t, r.c.Memberships(g2), 1)
			require.NotEmpty(t, r.has(g2))
			r.to(18)
			require.Empty(t, r.c.Memberships(g2))
			require.Empty(t, r.has(g2))
		})
	}
}

func TestW5_ALeaseIsInsteadOfTheMembershipInterval(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	lease := func(s float64, d time.Duration, k mcast.Kind) {
		r.to(s)
		require.NoError(t, r.c.Apply(mcast.Report[string]{Group: g1, Member: "tunnel1", Kind: k, Sources: addrs(s1), Owner: node1, Lease: d, At: sec(s)}))
		r.flush()
	}
	lease(0, 15*time.Second, mcast.AllowNewSources)
	lease(10, 15*time.Second, mcast.AllowNewSources)
	r.to(24.9)
	require.NotEmpty(t, r.has(g1))
	r.to(25)
	require.Empty(t, r.has(g1))
	lease(30, time.Hour, mcast.ModeIsExclude)
	r.to(3629)
	require.NotEmpty(t, r.has(g1))
	lease(3629, 3*time.Second, mcast.ModeIsExclude) // a shorter one counts at once
	r.to(3632)
	require.Empty(t, r.has(g1))

	for _, bad := range []mcast.Report[string]{
		{Group: g1, Member: "a", Kind: mcast.ModeIsExclude, Owner: node1, Lease: -1, At: sec(4000)},
		{Group: g1, Member: "a", Kind: mcast.ModeIsExclude, Owner: static, Lease: 1, At: sec(4000)},
		{Group: g1, Member: "a", Kind: mcast.ModeIsExclude, Lease: 1, At: sec(4000)},
	} {
		require.ErrorIs(t, r.c.Apply(bad), mcast.ErrInvalid)
	}
	endless := mcast.Report[string]{Group: g1, Member: "a", Kind: mcast.ModeIsExclude, Owner: node1, Lease: mcast.Forever, At: sec(4000)}
	require.NoError(t, r.c.Apply(endless))
	r.c.Advance(sec(4000 + 100*3600))
	require.Empty(t, r.has(g1))
}
