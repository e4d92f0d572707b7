package mcast_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/mcast"
)

func TestR1_ARemovedMemberIsGoneAtOnceAndNotQueried(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	for _, g := range []mcast.Group{g1, g2, g3} {
		r.join(0, g, "port5")
		r.join(0, g, "port6")
	}
	before := r.Len()
	r.to(10)
	r.c.RemoveMember("port5", sec(10))
	r.flush()
	require.Equal(t, before+3, r.Len())
	for _, g := range []mcast.Group{g1, g2, g3} {
		require.Equal(t, "port6:EXCLUDE{}", r.has(g))
	}
	require.Empty(t, r.queries())
	require.Equal(t, uint64(3), r.c.Statistics().Removals)
	r.c.RemoveMember("port5", sec(11)) // again is nothing
	r.flush()
	require.Equal(t, before+3, r.Len())
}

func TestAMemberThatIsRemovedWhileItIsAskedIsNotAskedAgain(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	r.join(0, g1, "port5")
	require.NoError(t, r.c.Apply(mcast.Leave(g1, "port5", sec(10))))
	r.c.RemoveMember("port5", sec(10))
	r.to(20)
	require.Empty(t, r.queries())
}

func TestR2_ReportsThatWereUnderWayAreRefused(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	r.join(0, g1, "port5")
	r.c.RemoveMember("port5", sec(10))
	for _, s := range []float64{9.9, 10} {
		require.ErrorIs(t, r.c.Apply(mcast.Join(g1, "port5", sec(s))), mcast.ErrRemoved)
	}
	require.Empty(t, r.has(g1))
	require.Equal(t, uint64(2), r.c.Statistics().RefusedRemoved)
	require.NoError(t, r.c.Apply(mcast.Join(g1, "port6", sec(9.9))), "others are not concerned")

	r.c.RemoveMember("port5", sec(5)) // an older removal takes nothing back
	require.ErrorIs(t, r.c.Apply(mcast.Join(g1, "port5", sec(9.9))), mcast.ErrRemoved)
}

func TestR3_AReportAfterTheRemovalIsAboutANewMember(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	r.old(0, g1, "port5", 1, mcast.ModeIsExclude)
	r.join(0, g1, "port6")
	r.c.RemoveMember("port5", sec(10))
	r.flush()
	r.join(10.001, g1, "port5")
	require.Equal(t, "port6:EXCLUDE{} port5:EXCLUDE{}", r.has(g1), "it is last now")
	r.leave(20, g1, "port5")
	r.to(22)
	require.Equal(t, "port6:EXCLUDE{}", r.has(g1), "nothing is left of the IGMPv1 host of before")
}

func TestR4_TheMemoryForRemovalsIsBounded(t *testing.T) {
	r := newRig(t, mcast.Config[string]{Limits: mcast.Limits{Removals: 10}})
	r.to(100)
	for i := range 25 {
		r.c.RemoveMember(fmt.Sprint(i), sec(float64(100+i)))
	}
	// The last ten are remembered one by one. For the others all reports as old
	// as the newest forgotten removal, at 114, are refused.
	require.ErrorIs(t, r.c.Apply(mcast.Join(g1, "24", sec(124))), mcast.ErrRemoved)
	require.NoError(t, r.c.Apply(mcast.Join(g1, "20", sec(121))))
	require.ErrorIs(t, r.c.Apply(mcast.Join(g1, "3", sec(103))), mcast.ErrRemoved)
	require.ErrorIs(t, r.c.Apply(mcast.Join(g1, "never removed", sec(114))), mcast.ErrRemoved)
	require.NoError(t, r.c.Apply(mcast.Join(g1, "never removed", sec(114.1))))

	// After a membership interval all are forgotten, and nothing gets through.
	r.to(500)
	require.ErrorIs(t, r.c.Apply(mcast.Join(g1, "24", sec(124))), mcast.ErrRemoved)
	require.NoError(t, r.c.Apply(mcast.Join(g1, "24", sec(500))))
}

func TestARemovalWithoutATimeIsNow(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	r.join(0, g1, "port5")
	r.to(10)
	r.c.RemoveMember("port5", time.Time{})
	require.Empty(t, r.has(g1))
	require.ErrorIs(t, r.c.Apply(mcast.Join(g1, "port5", sec(10))), mcast.ErrRemoved)
	require.NoError(t, r.c.Apply(mcast.Join(g1, "port5", sec(10.1))))
}

func TestAMemberThatIsNotEqualToItselfIsNotRemembered(t *testing.T) {
	c := mcast.New(mcast.Config[float64]{})
	c.RemoveMember(math.NaN(), sec(0))
	c.Advance(sec(1000))
	require.NoError(t, c.Apply(mcast.Join(g1, 1.5, sec(0))))
}
