package mcasttest_test

import (
	"context"
	"errors"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/mcast/mcasttest"
)

func TestWhatFailsIsNotHeld(t *testing.T) {
	group := mcast.Group{Addr: netip.MustParseAddr("239.1.1.1")}
	cache := mcast.New(mcast.Config[string]{})
	busy := errors.New("busy")
	rec := &mcasttest.Recorder[string]{OnSync: func(context.Context, mcast.State[string]) error { return busy }}
	h, err := cache.AddSink("rec", rec, mcast.SinkConfig{MinRetry: time.Second})
	require.NoError(t, err)
	now := time.Now()
	require.NoError(t, cache.Apply(mcast.Join(group, "port1", now)))
	require.ErrorIs(t, cache.Flush(context.Background()), busy)
	require.Len(t, rec.Calls(), 1)
	require.Empty(t, rec.Holds())
	require.Len(t, rec.Prunes(), 1)

	rec.OnSync = nil
	h.Resync()
	require.NoError(t, cache.Flush(context.Background()))
	require.Contains(t, rec.Holds(), group)
	cache.RemoveMember("port1", now)
	require.NoError(t, cache.Flush(context.Background()))
	cache.Advance(now.Add(time.Minute))
	require.NoError(t, cache.Flush(context.Background()))
	require.Empty(t, rec.Holds())
	require.Zero(t, rec.Overlaps())
}

// The Recorder's own count of overlapping calls is worth something.
func TestOverlappingCallsAreCounted(t *testing.T) {
	var rec *mcasttest.Recorder[string]
	cache := mcast.New(mcast.Config[string]{})
	group := mcast.Group{Addr: netip.MustParseAddr("239.1.1.1")}
	require.NoError(t, cache.Apply(mcast.Join(group, "port1", time.Now())))
	state, _ := cache.Lookup(group)
	rec = &mcasttest.Recorder[string]{OnSync: func(ctx context.Context, s mcast.State[string]) error {
		rec.OnSync = nil
		return rec.Sync(ctx, s)
	}}
	require.NoError(t, rec.Sync(context.Background(), state))
	require.Equal(t, 1, rec.Overlaps())
}
