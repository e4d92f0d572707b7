package mcast_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/mcast"
)

func TestL1_ALeaveIsQueriedThenTheMemberIsGone(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	r.join(0, g1, "port1")
	r.leave(10, g1, "port1")
	require.Equal(t, []string{"10.0 port1 Q(233.252.0.1)"}, r.queries())
	r.to(11)
	require.Equal(t, []string{"11.0 port1 Q(233.252.0.1)"}, r.queries())
	r.to(11.999)
	require.Equal(t, "port1:EXCLUDE{}", r.has(g1))
	r.to(12)
	require.Empty(t, r.has(g1))
	require.Equal(t, uint64(1), r.c.Statistics().Leaves)
	r.to(20)
	require.Empty(t, r.queries())
	require.Equal(t, 2, r.Len())
}

func TestQueriesSayHowLongToWaitAndAskForSourcesInOrder(t *testing.T) {
	var got []mcast.QueryRequest[string]
	timing := mcast.Timing{LMQI: 500 * time.Millisecond, LMQC: 3}
	r := newRig(t, mcast.Config[string]{Timing: timing, Query: func(_ context.Context, q mcast.QueryRequest[string]) error {
		got = append(got, q)
		return nil
	}})
	r.report(0, g1, "port1", mcast.ModeIsInclude, s3, s1, s2)
	r.report(10, g1, "port1", mcast.BlockOldSources, s3, s1)
	r.to(11.4)
	require.Equal(t, "port1:INCLUDE{198.51.100.1, 198.51.100.2, 198.51.100.3}", r.has(g1))
	r.to(11.5)
	require.Equal(t, "port1:INCLUDE{198.51.100.2}", r.has(g1))
	require.Len(t, got, 3)
	for _, q := range got {
		require.Equal(t, timing.LMQI, q.MaxResponse)
	}
	require.Equal(t, []string{
		"10.0 port1 Q(233.252.0.1 198.51.100.1 198.51.100.3)",
		"10.5 port1 Q(233.252.0.1 198.51.100.1 198.51.100.3)",
		"11.0 port1 Q(233.252.0.1 198.51.100.1 198.51.100.3)",
	}, r.queries())
}

func TestL2_AReportInTheWaitingTimeKeepsTheMember(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	r.old(0, g1, "port1", 2, mcast.ModeIsExclude)
	r.old(10, g1, "port1", 2, mcast.ChangeToInclude)
	r.old(10.7, g1, "port1", 2, mcast.ModeIsExclude)
	r.to(13)
	require.Equal(t, "port1:EXCLUDE{}", r.has(g1))
	require.Equal(t, 1, r.Len(), "no sink hears of it")
	r.to(280.6)
	require.NotEmpty(t, r.has(g1))
	r.to(280.7)
	require.Empty(t, r.has(g1))
}

// When the first query is lost on the wire, the answer to the second keeps.
func TestTheSecondQueryIsAnsweredInTime(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	r.join(0, g1, "port1")
	r.leave(10, g1, "port1")
	r.report(11.9, g1, "port1", mcast.ModeIsExclude)
	r.to(100)
	require.Equal(t, "port1:EXCLUDE{}", r.has(g1))
}

func TestL3_ImmediateAndQueryLast(t *testing.T) {
	r := newRig(t, mcast.Config[string]{Leave: func(m string) mcast.LeavePolicy {
		return map[string]mcast.LeavePolicy{"vm": mcast.Immediate, "last1": mcast.QueryLast, "last2": mcast.QueryLast}[m]
	}})
	r.join(0, g1, "vm")
	r.leave(10, g1, "vm")
	require.Empty(t, r.has(g1))
	require.Empty(t, r.queries())

	r.report(20, g1, "vm", mcast.ModeIsInclude, s1, s2)
	r.report(20, g1, "vm", mcast.BlockOldSources, s1)
	require.Equal(t, "vm:INCLUDE{198.51.100.2}", r.has(g1))
	r.join(20, g1, "vm")
	r.report(20, g1, "vm", mcast.ChangeToInclude, s3)
	require.Equal(t, "vm:INCLUDE{198.51.100.3}", r.has(g1))
	r.leave(20, g1, "vm")

	r.join(30, g1, "last1")
	r.join(30, g1, "last2")
	r.leave(40, g1, "last1")
	require.Equal(t, "last2:EXCLUDE{}", r.has(g1))
	require.Empty(t, r.queries())
	r.leave(50, g1, "last2")
	require.Equal(t, "last2:EXCLUDE{}", r.has(g1))
	require.Len(t, r.queries(), 1)
	r.to(52)
	require.Empty(t, r.has(g1))
	require.Equal(t, uint64(4), r.c.Statistics().Leaves)
}

// The choice of a policy may look into the cache.
func TestThePolicyIsAskedForWithNoLockHeld(t *testing.T) {
	var c *mcast.Cache[string]
	asked := 0
	c = mcast.New(mcast.Config[string]{Leave: func(m string) mcast.LeavePolicy {
		asked++
		if s, _ := c.Lookup(g1); s.Len() > 1 {
			return mcast.Immediate
		}
		return mcast.QueryEach
	}})
	for _, m := range []string{"a", "b"} {
		require.NoError(t, c.Apply(mcast.Join(g1, m, sec(0))))
	}
	require.Zero(t, asked, "a join is no leave")
	require.NoError(t, c.Apply(mcast.Leave(g1, "a", sec(1))))
	require.NoError(t, c.Apply(mcast.Leave(g1, "b", sec(1))))
	s, _ := c.Lookup(g1)
	require.Equal(t, "b:EXCLUDE{}", members(s))
	require.Equal(t, 2, asked)
}

func TestL4_QueriesGoOutFromFlushWithNoLockHeld(t *testing.T) {
	var c *mcast.Cache[string]
	sent := 0
	c = mcast.New(mcast.Config[string]{Query: func(_ context.Context, q mcast.QueryRequest[string]) error {
		sent++
		s, _ := c.Lookup(q.Group) // would hang on a lock
		require.True(t, s.Has(q.Member))
		return c.Apply(mcast.Join(g2, "by the way", sec(10)))
	}})
	require.NoError(t, c.Apply(mcast.Join(g1, "port1", sec(0))))
	require.NoError(t, c.Apply(mcast.Leave(g1, "port1", sec(10))))
	c.Advance(sec(10))
	require.Zero(t, sent)
	require.NoError(t, c.Flush(context.Background()))
	require.Equal(t, 1, sent)
}

func TestL5_AQueryThatCannotBeSentChangesNothing(t *testing.T) {
	broken := errors.New("no buffer space")
	for name, query := range map[string]func(context.Context, mcast.QueryRequest[string]) error{
		"error": func(context.Context, mcast.QueryRequest[string]) error { return broken },
		"panic": func(context.Context, mcast.QueryRequest[string]) error { panic("oh") },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, mcast.Config[string]{Query: query})
			r.join(0, g1, "port1")
			require.NoError(t, r.c.Apply(mcast.Leave(g1, "port1", sec(0))))
			err := r.c.Flush(context.Background())
			var failed *mcast.SyncError
			require.ErrorAs(t, err, &failed)
			require.Equal(t, g1, failed.Group)
			require.Empty(t, failed.Sink)
			if name == "error" {
				require.ErrorIs(t, err, broken)
			}
			r.to(1.999)
			require.NotEmpty(t, r.has(g1))
			r.to(2)
			require.Empty(t, r.has(g1))
			require.Equal(t, uint64(2), r.c.Statistics().Queries)
			require.Equal(t, uint64(2), r.c.Statistics().QueryErrors)
		})
	}
	t.Run("nobody sends, nobody flushes", func(t *testing.T) {
		c := mcast.New(mcast.Config[string]{})
		require.NoError(t, c.Apply(mcast.Join(g1, "port1", sec(0))))
		require.NoError(t, c.Apply(mcast.Leave(g1, "port1", sec(0))))
		c.Advance(sec(2))
		_, ok := c.Lookup(g1)
		require.False(t, ok)
	})
}

func TestL6_TheSFlagSaysThatTheTimerWasRefreshed(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	r.join(0, g1, "port1")
	r.leave(10, g1, "port1")
	r.report(10.5, g1, "port1", mcast.ModeIsExclude)
	r.to(20)
	require.Equal(t, []string{"10.0 port1 Q(233.252.0.1)", "11.0 port1 Q(233.252.0.1)/S"}, r.queries())

	// Of two sources one is refreshed: two messages, RFC 9776 section 6.6.3.2.
	r.report(20, g2, "port1", mcast.ModeIsInclude, s1, s2)
	r.report(30, g2, "port1", mcast.BlockOldSources, s1, s2)
	r.report(30.5, g2, "port1", mcast.ModeIsInclude, s2)
	r.to(40)
	require.Equal(t, []string{
		"30.0 port1 Q(233.252.0.2 198.51.100.1 198.51.100.2)",
		"31.0 port1 Q(233.252.0.2 198.51.100.2)/S",
		"31.0 port1 Q(233.252.0.2 198.51.100.1)",
	}, r.queries())
	require.Equal(t, "port1:INCLUDE{198.51.100.2}", r.has(g2))
}

// Together with a group-specific query the one about sources with the S flag
// is left out, as section 6.6.3.2 allows.
func TestTheGroupQueryStandsForSuppressedSources(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	r.join(0, g1, "port1")
	r.report(10, g1, "port1", mcast.AllowNewSources, s1)
	r.leave(20, g1, "port1") // asks about the group and about s1
	r.report(20.5, g1, "port1", mcast.ModeIsInclude, s1)
	r.to(21)
	require.Equal(t, []string{
		"20.0 port1 Q(233.252.0.1)",
		"20.0 port1 Q(233.252.0.1 198.51.100.1)",
		"21.0 port1 Q(233.252.0.1)",
	}, r.queries())
	r.to(22)
	require.Equal(t, "port1:INCLUDE{198.51.100.1}", r.has(g1))
}

func TestL7_QueriesAreMergedAndRepeatedLeavesDoNotRestartThem(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	r.join(0, g1, "port1")
	r.join(0, g1, "port2")
	r.to(10)
	for range 183 { // one report may say it 183 times
		require.NoError(t, r.c.Apply(mcast.Leave(g1, "port1", sec(10))))
	}
	r.flush()
	require.Equal(t, []string{"10.0 port1 Q(233.252.0.1)"}, r.queries())
	r.leave(10.7, g1, "port1") // hosts say everything twice
	r.leave(10.7, g1, "port2")
	r.to(20)
	require.Equal(t, []string{
		"10.7 port2 Q(233.252.0.1)",
		"11.0 port1 Q(233.252.0.1)",
		"11.7 port2 Q(233.252.0.1)",
	}, r.queries())
}

// A report that is newer than what waits in the outbox goes out with it.
func TestWhatIsAskedBeforeAFlushGoesOutWithIt(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	r.report(0, g1, "port1", mcast.ModeIsInclude, s1, s2)
	block := mcast.Report[string]{Group: g1, Member: "port1", Kind: mcast.BlockOldSources, Sources: addrs(s1), At: sec(10)}
	require.NoError(t, r.c.Apply(block))
	block.Sources, block.At = addrs(s2), sec(10.5)
	require.NoError(t, r.c.Apply(block))
	r.flush()
	require.Equal(t, []string{"0.0 port1 Q(233.252.0.1 198.51.100.1 198.51.100.2)"}, r.queries())
}

func TestANewLeaveAfterAnAnswerIsQueriedAnew(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	r.join(0, g1, "port1")
	r.leave(10, g1, "port1")
	r.report(10.3, g1, "port1", mcast.ModeIsExclude)
	r.leave(10.6, g1, "port1")
	r.to(12.5)
	require.NotEmpty(t, r.has(g1))
	r.to(12.6)
	require.Empty(t, r.has(g1))
	require.Equal(t, []string{"10.0 port1 Q(233.252.0.1)", "10.6 port1 Q(233.252.0.1)", "11.6 port1 Q(233.252.0.1)"}, r.queries())
}

func TestQueriesThatGoOutLateAreNotSentInABurst(t *testing.T) {
	r := newRig(t, mcast.Config[string]{Timing: mcast.Timing{LMQC: 5}})
	r.join(0, g1, "port1")
	require.NoError(t, r.c.Apply(mcast.Leave(g1, "port1", sec(0))))
	r.c.Advance(sec(2.5))
	r.now = 2.5
	r.flush()
	r.to(10)
	require.Equal(t, []string{"2.5 port1 Q(233.252.0.1)", "3.5 port1 Q(233.252.0.1)", "4.5 port1 Q(233.252.0.1)"}, r.queries())
}

func TestL8_OnlyTheQuerierActsOnLeaves(t *testing.T) {
	seen := func(at float64, suppress bool) mcast.SeenQuery {
		return mcast.SeenQuery{Group: g1, MaxResponse: time.Second, Suppress: suppress, At: sec(at)}
	}
	r := newRig(t, mcast.Config[string]{Timing: mcast.Timing{NonQuerier: true}})
	r.join(0, g1, "port1")
	r.leave(10, g1, "port1")
	r.c.QuerySeen(seen(20, true))
	r.to(30)
	require.Equal(t, "port1:EXCLUDE{}", r.has(g1))
	require.Empty(t, r.queries())
	r.c.QuerySeen(seen(30, false))
	r.to(31.9)
	require.NotEmpty(t, r.has(g1))
	r.to(32)
	require.Empty(t, r.has(g1))

	r.join(40, g1, "port1")
	r.c.QuerySeen(seen(50, false))
	r.report(51, g1, "port1", mcast.ModeIsExclude)
	r.to(60)
	require.NotEmpty(t, r.has(g1), "a report in time keeps")

	r.c.SetTiming(mcast.Timing{})
	r.c.QuerySeen(seen(60, false))
	r.to(70)
	require.NotEmpty(t, r.has(g1), "we are the querier now")
}

func TestASeenSourceQueryLowersTheSourcesItNames(t *testing.T) {
	r := newRig(t, mcast.Config[string]{Timing: mcast.Timing{NonQuerier: true}})
	r.report(0, g1, "port1", mcast.ModeIsInclude, s1, s2)
	r.join(0, g1, "port2")
	r.c.QuerySeen(mcast.SeenQuery{Group: g1, Sources: addrs(s2), At: sec(10)})
	r.to(12)
	require.Equal(t, "port1:INCLUDE{198.51.100.1} port2:EXCLUDE{}", r.has(g1))
	r.c.QuerySeen(mcast.SeenQuery{Group: g2, At: sec(12)}) // nobody there
	r.c.QuerySeen(mcast.SeenQuery{Group: g1})              // no time
	r.to(20)
	require.Equal(t, "port1:INCLUDE{198.51.100.1} port2:EXCLUDE{}", r.has(g1))
}

// A leave that was answered is forgotten: what ends later ends by silence, and
// can be held.
func TestAnAnsweredLeaveIsForgotten(t *testing.T) {
	for _, held := range []bool{false, true} {
		r := newRig(t, mcast.Config[string]{})
		r.join(0, g1, "any")
		r.report(0, g1, "one", mcast.ModeIsInclude, s1)
		r.leave(10, g1, "any")
		r.leave(10, g1, "one")
		r.report(11, g1, "any", mcast.ModeIsExclude)
		r.report(11, g1, "one", mcast.ModeIsInclude, s1)
		r.c.HoldAging(held)
		r.to(1000)
		if held {
			require.Equal(t, "any:EXCLUDE{} one:INCLUDE{198.51.100.1}", r.has(g1))
			continue
		}
		require.Empty(t, r.has(g1))
		require.Equal(t, uint64(2), r.c.Statistics().Expiries)
		require.Zero(t, r.c.Statistics().Leaves)
	}
}

func TestL9_WhileAgingIsHeldSilenceEndsNothing(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	r.join(0, g1, "silent")
	r.join(0, g1, "leaver")
	r.report(100, g1, "sources", mcast.ModeIsInclude, s1)
	r.c.HoldAging(true)
	r.to(1000)
	require.Equal(t, "silent:EXCLUDE{} leaver:EXCLUDE{} sources:INCLUDE{198.51.100.1}", r.has(g1))
	r.leave(1000, g1, "leaver")
	r.to(1002)
	require.Equal(t, "silent:EXCLUDE{} sources:INCLUDE{198.51.100.1}", r.has(g1))
	r.to(2000)
	r.c.HoldAging(false)
	r.to(2000)
	r.report(2005, g1, "sources", mcast.ModeIsInclude, s1)
	r.to(2010.9)
	require.Equal(t, "silent:EXCLUDE{} sources:INCLUDE{198.51.100.1}", r.has(g1))
	r.to(2011)
	require.Equal(t, "sources:INCLUDE{198.51.100.1}", r.has(g1))
	r.to(2275)
	require.Empty(t, r.has(g1))
}

func TestSetTimingIsForTimersThatStartFromThenOn(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	r.join(0, g1, "port1")
	r.c.SetTiming(mcast.Timing{QI: 10 * time.Second, QRI: 2 * time.Second})
	r.join(0, g1, "port2")
	r.join(0, g1, "port3")
	r.join(10, g1, "port3")
	r.to(24)
	require.Equal(t, "port1:EXCLUDE{} port3:EXCLUDE{}", r.has(g1))
	r.to(34)
	require.Equal(t, "port1:EXCLUDE{}", r.has(g1))
	r.join(35, g1, "port1") // a refresh shortens, too
	r.to(59)
	require.Empty(t, r.has(g1))
}
