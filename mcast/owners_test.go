package mcast_test

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/mcast"
)

var (
	static = mcast.Owner{Kind: mcast.Static}
	node1  = mcast.Owner{Kind: mcast.Remote, ID: "node1"}
	node2  = mcast.Owner{Kind: mcast.Remote, ID: "node2"}
)

func (r *rig) owned(s float64, o mcast.Owner, g mcast.Group, m string, k mcast.Kind, sources ...netip.Addr) {
	r.to(s)
	require.NoError(r.t, r.c.Apply(mcast.Report[string]{Group: g, Member: m, Kind: k, Sources: sources, Owner: o, At: sec(s)}))
	r.flush()
}

func TestW1_AMemberIsThereWhileAnyOwnerHoldsIt(t *testing.T) {
	for _, learnedFirst := range []bool{true, false} {
		r := newRig(t, mcast.Config[string]{})
		join := []mcast.Owner{static, {}}
		if learnedFirst {
			join = []mcast.Owner{{}, static}
		}
		r.owned(0, join[0], g1, "port1", mcast.ChangeToExclude)
		r.owned(0, join[1], g1, "port1", mcast.ChangeToExclude)
		require.Equal(t, 1, r.Len())
		r.leave(10, g1, "port1")
		r.to(20)
		require.Equal(t, "port1:EXCLUDE{}", r.has(g1))
		require.Equal(t, 1, r.Len(), "no sink hears of the leave")
		r.owned(30, static, g1, "port1", mcast.ChangeToInclude)
		require.Empty(t, r.has(g1))
		require.Equal(t, 2, r.Len())

		// And the other way round: the configuration goes first.
		r.owned(40, join[0], g1, "port1", mcast.ChangeToExclude)
		r.owned(40, join[1], g1, "port1", mcast.ChangeToExclude)
		r.owned(50, static, g1, "port1", mcast.ChangeToInclude)
		r.to(60)
		require.Equal(t, "port1:EXCLUDE{}", r.has(g1))
		require.Equal(t, 3, r.Len())
		r.leave(60, g1, "port1")
		r.to(62)
		require.Empty(t, r.has(g1))
		require.Equal(t, 4, r.Len())
	}
}

func TestAMemberWantsWhatItsOwnersTogetherWant(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	r.owned(0, static, g1, "port1", mcast.ModeIsInclude, s1)
	r.report(0, g1, "port1", mcast.ModeIsInclude, s2)
	r.owned(0, node1, g1, "port1", mcast.ModeIsExclude, s2, s3)
	require.Equal(t, "port1:EXCLUDE{198.51.100.3}", r.has(g1))
	r.owned(10, node1, g1, "port1", mcast.ChangeToInclude)
	require.Equal(t, "port1:INCLUDE{198.51.100.1, 198.51.100.2}", r.has(g1))
	r.to(270)
	require.Equal(t, "port1:INCLUDE{198.51.100.1}", r.has(g1))
	require.Equal(t, 1, r.c.Statistics().Memberships)
}

func TestW2_StaticMembershipsHaveNoTimer(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	r.owned(0, static, g1, "port1", mcast.ModeIsInclude, s1)
	r.owned(0, static, g2, "port1", mcast.ModeIsExclude, s1)
	r.owned(0, static, g2, "port1", mcast.BlockOldSources, s2)
	_, due := r.c.Next()
	require.False(t, due)
	r.to(1e6)
	require.Equal(t, "port1:INCLUDE{198.51.100.1}", r.has(g1))
	require.Equal(t, "port1:EXCLUDE{198.51.100.1, 198.51.100.2}", r.has(g2))
	r.c.RemoveOwner(static)
	require.Empty(t, r.has(g1)+r.has(g2))

	r.owned(1e6, static, g1, "port1", mcast.ModeIsExclude)
	r.c.RemoveMember("port1", sec(1e6))
	require.Empty(t, r.has(g1))
}

// A port that goes and comes back takes its configuration with it: what the
// host project says again is active again, beside what hosts say.
func TestAfterItsPortCameBackAStaticMembershipIsActiveAgain(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	r.owned(0, static, g1, "port1", mcast.ModeIsExclude)
	r.join(5, g1, "port1")
	r.to(10)
	r.c.RemoveMember("port1", sec(10))
	r.flush()
	require.Empty(t, r.has(g1))
	r.owned(10.1, static, g1, "port1", mcast.ModeIsExclude)
	require.Equal(t, "port1:EXCLUDE{}", r.has(g1))
	r.join(11, g1, "port1")
	r.leave(20, g1, "port1")
	r.to(1e4)
	require.Equal(t, "port1:EXCLUDE{}", r.has(g1))
	require.Equal(t, 3, r.Len())
}

func TestW3_WhatNobodyCanBeAskedAboutEndsAtOnce(t *testing.T) {
	for _, o := range []mcast.Owner{static, node1} {
		r := newRig(t, mcast.Config[string]{})
		r.owned(0, o, g1, "port1", mcast.ModeIsExclude)
		r.owned(10, o, g1, "port1", mcast.ChangeToInclude, s1)
		require.Equal(t, "port1:INCLUDE{198.51.100.1}", r.has(g1))
		r.owned(20, o, g1, "port1", mcast.BlockOldSources, s1)
		require.Empty(t, r.has(g1))
		require.Empty(t, r.queries())
	}
}

func TestRemoteMembershipsExpireWhenTheyAreNotRefreshed(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	for i := range 20 {
		r.owned(0, node1, nth(i), "tunnel1", mcast.ModeIsExclude)
	}
	r.to(269)
	require.Len(t, r.Holds(), 20)
	r.to(270)
	require.Empty(t, r.Holds())
}

func TestW4_RemoveOwnerEndsAllItHoldsWithOneChangeAGroup(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	for i := range 20 {
		for _, m := range []string{"tunnel1", "tunnel2"} {
			r.owned(0, node1, nth(i), m, mcast.ModeIsExclude)
		}
		r.owned(0, node2, nth(i), "tunnel3", mcast.ModeIsExclude)
	}
	r.owned(0, node2, nth(0), "tunnel1", mcast.ModeIsInclude, s1)
	before := r.Len()
	r.c.RemoveOwner(node1)
	r.flush()
	require.Equal(t, before+20, r.Len())
	require.Equal(t, "tunnel1:INCLUDE{198.51.100.1} tunnel3:EXCLUDE{}", r.has(nth(0)))
	require.Equal(t, "tunnel3:EXCLUDE{}", r.has(nth(1)))
	require.Equal(t, uint64(39), r.c.Statistics().Removals)

	r.c.RemoveOwner(mcast.Owner{Kind: mcast.Remote, ID: "never seen"})
	r.flush()
	require.Equal(t, before+20, r.Len())
}

// Older hosts and other routers' queries concern only what hosts hold.
func TestWhatIsNotLearnedDoesNotListenToTheSegment(t *testing.T) {
	r := newRig(t, mcast.Config[string]{Timing: mcast.Timing{NonQuerier: true}})
	for _, o := range []mcast.Owner{static, node1} {
		require.NoError(t, r.c.Apply(mcast.Report[string]{Group: g1, Member: "port1", Kind: mcast.ModeIsExclude, Version: 1, Owner: o, At: sec(0)}))
	}
	r.c.QuerySeen(mcast.SeenQuery{Group: g1, At: sec(10)})
	r.to(100)
	require.Equal(t, 2, r.c.Statistics().Memberships)
	r.owned(100, static, g1, "port1", mcast.ChangeToInclude)
	r.owned(100, node1, g1, "port1", mcast.ChangeToInclude)
	require.Empty(t, r.has(g1))
}
