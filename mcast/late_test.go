package mcast_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/mcast/mcasttest"
)

func TestS1_ALateSinkSeesEveryGroup(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	for _, g := range []mcast.Group{g3, g1, g2} {
		r.join(0, g, "a")
	}
	late := &mcasttest.Recorder[string]{}
	r.add("late", late, plain)
	r.to(1)
	require.Equal(t, r.Holds(), late.Holds())
	require.Equal(t, g1, late.Calls()[0].Group(), "in order")
	require.Equal(t, 3, r.Len(), "the other sink hears nothing of it")
}

func TestS2_AfterEveryGroupPruneIsCalledOnceAndAlone(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	r.join(0, g1, "a")
	r.join(0, g2, "a")
	late := &mcasttest.Recorder[string]{}
	late.OnSync = func(_ context.Context, s mcast.State[string]) error {
		if s.Group() == g2 {
			return errBusy // has been handed over all the same
		}
		return nil
	}
	late.OnPrune = func(context.Context, []mcast.Group) error {
		require.Equal(t, 2, late.Len())
		return nil
	}
	h := r.add("late", late, plain)
	require.False(t, h.HasSynced())
	r.apply(mcast.Join(g3, "b", sec(0))) // is wanted, too
	r.to(0)
	require.Equal(t, [][]mcast.Group{{g1, g2, g3}}, late.Prunes())
	late.OnSync = nil
	r.to(100)
	require.Len(t, late.Prunes(), 1)
	require.Len(t, late.Holds(), 3)
	require.Zero(t, late.Overlaps())
}

// A group that empties before the late sink was handed it does not hold up
// the round, one that empties afterwards is still the sink's to take away.
func TestGroupsThatEndDuringTheRound(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	for _, g := range []mcast.Group{g1, g2, g3} {
		r.join(0, g, "port"+g.String())
	}
	late := &mcasttest.Recorder[string]{}
	late.OnSync = func(_ context.Context, s mcast.State[string]) error {
		late.OnSync = nil
		r.c.RemoveMember("port"+g1.String(), sec(1))
		r.c.RemoveMember("port"+g2.String(), sec(1))
		return errBusy
	}
	h := r.add("late", late, plain)
	r.to(1)
	require.True(t, h.HasSynced())
	require.Equal(t, [][]mcast.Group{{g1, g3}}, late.Prunes())
	r.to(10)
	require.Len(t, late.Holds(), 1)
	require.Zero(t, late.Calls()[late.Len()-1].Len())
}

func TestS3_ResyncShowsEverythingAgain(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	r.join(0, g1, "a")
	r.join(0, g2, "a")
	require.Len(t, r.Prunes(), 1)
	r.c.RemoveMember("nobody", sec(0))
	r.OnSync = func(_ context.Context, s mcast.State[string]) error { return errBusy }
	r.join(1, g1, "b") // waits for its retry
	r.OnSync = nil
	before := r.Len()
	r.h.Resync()
	r.to(1)
	require.Equal(t, before+2, r.Len())
	for _, s := range r.Calls()[before:] {
		_, ok := s.Prev()
		require.False(t, ok)
		require.Len(t, changed(s), s.Len())
	}
	require.Equal(t, []mcast.Group{g1, g2}, r.Prunes()[1])
	r.to(100)
	require.Equal(t, before+2, r.Len(), "the retry is not needed any more")
	require.Len(t, r.Prunes(), 2)
}

func TestAResyncDuringACallCountsForTheNextCall(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	r.OnSync = func(context.Context, mcast.State[string]) error {
		r.OnSync = nil
		r.h.Resync()
		return nil
	}
	r.join(0, g1, "a")
	require.Equal(t, 2, r.Len())
	_, ok := r.Calls()[1].Prev()
	require.False(t, ok)

	r.OnPrune = func(context.Context, []mcast.Group) error {
		r.OnPrune = nil
		r.h.Resync()
		return nil
	}
	r.h.Resync()
	r.to(1)
	require.Equal(t, 4, r.Len())
	require.Len(t, r.Prunes(), 4)
	require.True(t, r.h.HasSynced())
}

// A group that is empty when the sink is resynced, and that it was not yet
// told so, is still its to take away.
func TestResyncOfAnEmptiedGroup(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	r.join(0, g1, "a")
	r.OnSync = func(context.Context, mcast.State[string]) error { return errBusy }
	r.c.RemoveMember("a", sec(1))
	r.to(1)
	r.OnSync = nil
	r.h.Resync()
	r.to(1)
	require.Empty(t, r.Holds())
	require.Zero(t, r.c.Statistics().Groups)
	require.True(t, r.h.HasSynced())
}

func TestS4_HasSyncedIsTrueAfterTheRound(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	require.True(t, r.h.HasSynced(), "there was nothing to be shown")
	r.join(0, g1, "a")
	require.True(t, r.h.HasSynced())
	r.h.Resync()
	require.False(t, r.h.HasSynced())
	r.to(0)
	require.True(t, r.h.HasSynced())

	bare := r.add("no pruner", mcast.SyncFunc[string](nothing), plain)
	require.Equal(t, "no pruner", bare.Name())
	require.False(t, bare.HasSynced())
	r.to(0)
	require.True(t, bare.HasSynced())
}

func TestS5_AFailedPruneIsRetried(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	failures := 2
	r.OnPrune = func(context.Context, []mcast.Group) error {
		if failures--; failures >= 0 {
			return errBusy
		}
		return nil
	}
	r.h.Resync()
	r.to(0)
	require.Len(t, r.Prunes(), 2)
	require.False(t, r.h.HasSynced())
	r.join(0.5, g1, "a") // goes on meanwhile
	require.Contains(t, r.Holds(), g1)
	r.to(1)
	require.Len(t, r.Prunes(), 3)
	r.to(3)
	require.Len(t, r.Prunes(), 4)
	require.Equal(t, []mcast.Group{g1}, r.Prunes()[3])
	require.True(t, r.h.HasSynced())
	r.to(100)
	require.Len(t, r.Prunes(), 4)
	require.Equal(t, uint64(2), r.c.Statistics().Sinks[0].PruneErrors)
}

func TestS6_ARemovedSinkIsNotCalledAndNothingWaitsForIt(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	bad := &mcasttest.Failing[string]{}
	bad.Fail(errBusy)
	h := r.add("bad", bad, plain)
	r.join(0, g1, "a")
	r.c.RemoveMember("a", sec(1))
	r.to(1)
	require.Equal(t, 1, r.c.Statistics().Groups, "bad was handed it")
	calls := bad.Len()
	require.NoError(t, h.Remove(context.Background()))
	require.NoError(t, h.Remove(context.Background()), "again is nothing")
	require.Zero(t, r.c.Statistics().Groups)
	h.Resync()
	r.join(2, g1, "a")
	r.to(100)
	require.Equal(t, calls, bad.Len())
	require.False(t, h.HasSynced())
	require.Len(t, r.c.Statistics().Sinks, 1)
	r.add("bad", bad, plain) // the name is free again
}

func TestARemovedSinkIsWaitedForAsLongAsTheContextAllows(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	var h *mcast.Handle[string]
	var inside error
	self := mcast.SyncFunc[string](func(call context.Context, _ mcast.State[string]) error {
		over, cancel := context.WithCancel(context.Background())
		cancel()
		inside = h.Remove(over)
		<-call.Done() // the removal ends the call
		return nil
	})
	h = r.add("self", self, plain)
	r.join(0, g1, "a")
	var stuck *mcast.StuckError
	require.ErrorAs(t, inside, &stuck)
	require.Equal(t, []string{"self"}, stuck.Sinks)
	require.NoError(t, h.Remove(context.Background()))
}

func TestSinksHaveNames(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	_, err := r.c.AddSink("rec", mcast.SyncFunc[string](nothing), plain)
	require.ErrorIs(t, err, mcast.ErrSinkExists)
	_, err = r.c.AddSink("", mcast.SyncFunc[string](nothing), plain)
	require.ErrorIs(t, err, mcast.ErrInvalid)
	_, err = r.c.AddSink("nil", nil, plain)
	require.ErrorIs(t, err, mcast.ErrInvalid)
}
