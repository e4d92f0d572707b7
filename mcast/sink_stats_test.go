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

func TestSinkStatisticsTellFailuresAndRetries(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	stats := func() mcast.SinkStatistics { return r.c.Statistics().Sinks[0] }
	require.Zero(t, stats().LastErrorAt)
	fails := 2
	r.OnSync = func(_ ctx, s mcast.State[string]) error {
		if s.Group() == g2 || fails == 0 {
			return nil
		}
		fails--
		return errBusy
	}
	r.join(10, g1, "a")
	r.join(10, g2, "a")
	s := stats()
	require.Equal(t, []uint64{2, 1, 0}, []uint64{s.Syncs, s.Errors, s.Retries})
	require.Equal(t, []int{1, 1, 0}, []int{s.Pending, s.Failing, s.Running})
	require.ErrorIs(t, s.LastError, errBusy)
	require.Equal(t, sec(10), s.LastErrorAt)
	r.to(11)
	s = stats()
	require.Equal(t, []uint64{3, 2, 1}, []uint64{s.Syncs, s.Errors, s.Retries})
	require.Equal(t, sec(11), s.LastErrorAt)
	r.to(13)
	s = stats()
	require.Equal(t, []uint64{4, 2, 2}, []uint64{s.Syncs, s.Errors, s.Retries})
	require.Equal(t, []int{0, 0, 0}, []int{s.Pending, s.Failing, s.Running})
	require.ErrorIs(t, s.LastError, errBusy, "what was stays to be seen")
	require.Zero(t, s.TotalDuration, "Flush stands still")
}

func TestAGroupThatFailsNoMoreIsCountedOff(t *testing.T) {
	r := newRig(t, mcast.Config[string]{Leave: immediate})
	r.OnSync = func(ctx, mcast.State[string]) error { return errBusy }
	failing := func() int { return r.c.Statistics().Sinks[0].Failing }
	r.join(0, g1, "a")
	r.join(0, g2, "a")
	require.Equal(t, 2, failing())
	r.h.Resync()
	require.Zero(t, failing(), "it begins anew")
	r.flush()
	require.Equal(t, 2, failing())
	r.OnSync = nil
	r.leave(0, g2, "a")
	r.to(60)
	require.Zero(t, failing())
}

func TestSinkStatisticsTellHowLongCallsTakeAndWhatIsStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, mcast.New(mcast.Config[string]{}))
		takes := map[mcast.Group]time.Duration{g1: 3 * time.Second, g2: time.Second, g3: time.Hour}
		rec := &mcasttest.Recorder[string]{
			OnSync: func(ctx context.Context, s mcast.State[string]) error {
				select {
				case <-time.After(takes[s.Group()]):
				case <-ctx.Done():
				}
				return ctx.Err()
			},
			OnPrune: func(context.Context, []mcast.Group) error {
				time.Sleep(5 * time.Second)
				return nil
			},
		}
		began := time.Now()
		stats := func() mcast.SinkStatistics { return r.Statistics().Sinks[0] }
		r.add("rec", rec, plain)
		time.Sleep(time.Second)
		require.Equal(t, 1, stats().Running)
		require.True(t, began.Equal(stats().RunningSince), "Prune is a call too")
		time.Sleep(5 * time.Second)
		require.Zero(t, stats().RunningSince)
		for _, g := range []mcast.Group{g1, g2, g3} {
			r.join(g, "a")
			time.Sleep(100 * time.Millisecond)
		}
		require.Equal(t, 3, stats().Running)
		require.True(t, began.Add(6*time.Second).Equal(stats().RunningSince))
		time.Sleep(10 * time.Second)
		s := stats()
		require.Equal(t, 1, s.Running)
		require.Equal(t, 6200*time.Millisecond, s.RunningSince.Sub(began), "the one that hangs")
		require.Equal(t, []time.Duration{3 * time.Second, 5 * time.Second, 9 * time.Second},
			[]time.Duration{s.LastDuration, s.MaxDuration, s.TotalDuration})
		r.finish()
		require.Zero(t, stats().Running)
		require.NoError(t, stats().LastError, "to be cut short is no failure")
	})
}
