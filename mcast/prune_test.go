package mcast_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/mcast/mcasttest"
)

// A group that joined after the round had begun may still be in a worker when
// the round is over: Prune waits for it.
func TestPruneWaitsForGroupsThatCameLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, mcast.New(mcast.Config[string]{}))
		r.join(g1, "a")
		begin := time.Now()
		var pruned time.Duration
		rec := &mcasttest.Recorder[string]{
			OnSync: func(_ context.Context, s mcast.State[string]) error {
				time.Sleep(map[mcast.Group]time.Duration{g1: time.Second, g2: 3 * time.Second}[s.Group()])
				return nil
			},
			OnPrune: func(context.Context, []mcast.Group) error {
				pruned = time.Since(begin)
				return nil
			},
		}
		r.add("rec", rec, plain)
		synctest.Wait()
		r.join(g2, "a")
		time.Sleep(10 * time.Second)
		synctest.Wait()
		require.Equal(t, 3*time.Second, pruned)
		require.Zero(t, rec.Overlaps())
		r.finish()
	})
}

func TestPruneWaitsForCallsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, mcast.New(mcast.Config[string]{}))
		for i := range 20 {
			r.join(nth(i), "a")
		}
		rec := &mcasttest.Recorder[string]{
			OnSync: func(_ context.Context, s mcast.State[string]) error {
				time.Sleep(time.Duration(s.Group().Addr.As4()[3]) * time.Millisecond)
				return nil
			},
			OnPrune: func(context.Context, []mcast.Group) error {
				time.Sleep(time.Second)
				return nil
			},
		}
		h, err := r.AddSink("rec", rec, mcast.SinkConfig{})
		require.NoError(t, err)
		time.Sleep(500 * time.Millisecond)
		r.join(nth(20), "a") // has to wait for Prune
		time.Sleep(10 * time.Second)
		require.True(t, h.HasSynced())
		require.Len(t, rec.Prunes(), 1)
		require.Len(t, rec.Holds(), 21)
		require.Zero(t, rec.Overlaps())
		r.finish()
	})
}

func TestPruneIsCalledThoughThereIsNothingToShow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, mcast.New(mcast.Config[string]{}))
		rec := &mcasttest.Recorder[string]{}
		h, err := r.AddSink("rec", rec, plain)
		require.NoError(t, err)
		synctest.Wait()
		require.True(t, h.HasSynced())
		require.Equal(t, [][]mcast.Group{nil}, rec.Prunes())
		r.finish()
	})
}

// An agent that starts again must not take away what hosts have not yet had
// time to ask for once more.
func TestS7_TheFirstPruneWaitsForItsDelay(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	rec := &mcasttest.Recorder[string]{}
	cfg := plain
	cfg.PruneDelay = 11 * time.Second
	r.join(5, g1, "a")
	h := r.add("late", rec, cfg)
	r.join(10, g2, "a")
	require.Len(t, rec.Holds(), 2)
	r.to(15.9)
	require.Empty(t, rec.Prunes())
	require.False(t, h.HasSynced())
	r.to(16)
	require.Equal(t, [][]mcast.Group{{g1, g2}}, rec.Prunes())
	require.True(t, h.HasSynced())
	h.Resync()
	r.flush()
	require.Len(t, rec.Prunes(), 2, "a later round does not wait")
}
