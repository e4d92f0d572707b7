package mcasttest_test

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/mcast/mcasttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	epoch   = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	errBusy = errors.New("busy")
	g1      = mcast.Group{Addr: netip.MustParseAddr("239.1.1.1")}
	g2      = mcast.Group{Addr: netip.MustParseAddr("239.1.1.2")}
)

// flushed is a cache with one sink and a member in each of two groups, after a Flush.
func flushed(t *testing.T, sink mcast.Sink[string]) (*mcast.Cache[string], *mcast.Handle[string], error) {
	c := mcast.New(mcast.Config[string]{})
	h, err := c.AddSink("sink", sink, mcast.SinkConfig{MinInterval: -1, MinRetry: time.Second, Timeout: -1})
	require.NoError(t, err)
	require.NoError(t, c.Apply(mcast.Join(g1, "a", epoch)))
	require.NoError(t, c.Apply(mcast.Join(g2, "a", epoch)))
	return c, h, c.Flush(t.Context())
}

func TestFailingFailsUntilItIsHealed(t *testing.T) {
	f := &mcasttest.Failing[string]{}
	_, h, err := flushed(t, f)
	require.NoError(t, err)
	require.Len(t, f.Holds(), 2)

	f.Fail(errBusy)
	h.Resync()
	c, h, err := flushed(t, f)
	require.ErrorIs(t, err, errBusy)
	require.False(t, h.HasSynced(), "Prune has failed too")
	require.Len(t, f.Prunes(), 2)
	f.Fail(nil)
	c.Advance(epoch.Add(time.Minute))
	require.NoError(t, c.Flush(t.Context()))
	require.True(t, h.HasSynced())
}

func TestFailFirstCountsForEachGroupAndSparesPrune(t *testing.T) {
	f := &mcasttest.Failing[string]{}
	f.FailFirst(1, errBusy)
	c, h, err := flushed(t, f)
	require.ErrorIs(t, err, errBusy)
	require.Equal(t, 2, f.Len())
	require.True(t, h.HasSynced(), "each was shown, and Prune did not fail")
	c.Advance(epoch.Add(time.Minute))
	require.NoError(t, c.Flush(t.Context()))
	require.Equal(t, 4, f.Len())
	require.Len(t, f.Holds(), 2)
}

func TestAHealthySinkStillDoesWhatTheTestWants(t *testing.T) {
	f := &mcasttest.Failing[string]{}
	f.OnSync = func(context.Context, mcast.State[string]) error { return errBusy }
	f.OnPrune = func(context.Context, []mcast.Group) error { return errBusy }
	_, h, err := flushed(t, f)
	require.ErrorIs(t, err, errBusy)
	require.False(t, h.HasSynced())
}

func TestSlowTakesItsTimeUnlessItIsCutShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &mcasttest.Slow[string]{Takes: time.Minute}
		begin := time.Now()
		_, _, err := flushed(t, s)
		require.NoError(t, err)
		require.Equal(t, 3*time.Minute, time.Since(begin), "two groups and a Prune")

		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		require.ErrorIs(t, s.Sync(ctx, mcast.State[string]{}), context.DeadlineExceeded)
		require.ErrorIs(t, s.Prune(ctx, slices.Values([]mcast.Group{})), context.DeadlineExceeded)
		require.Len(t, s.Holds(), 2)
	})
}

func TestStuckIgnoresItsContextUntilItIsReleased(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mcasttest.NewStuck[string]()
		ctx, stop := context.WithCancel(t.Context())
		stop()
		ended := make(chan error, 2)
		go func() { ended <- s.Sync(ctx, mcast.State[string]{}) }()
		go func() { ended <- s.Prune(ctx, slices.Values([]mcast.Group{})) }()
		time.Sleep(time.Hour)
		require.Empty(t, ended)
		s.Release()
		s.Release()
		require.NoError(t, <-ended)
		require.NoError(t, <-ended)
		require.NoError(t, s.Sync(ctx, mcast.State[string]{}), "it stays released")
	})
}
