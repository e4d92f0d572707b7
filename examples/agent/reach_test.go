package main

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// inReach has hosts within reach, by a new connection.
func inReach(r *reach) {
	r.connected()
	r.tellDone(r.current())
}

func TestHostsHaveTheWholeTimeToAnswerInOnePiece(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, start := newReach(func(bool) {}), time.Now()
		var over time.Duration
		go func() {
			require.NoError(t, r.wait(t.Context(), func() time.Duration { return 40 * time.Second }))
			over = time.Since(start)
		}()
		time.Sleep(time.Hour) // the switch is away
		inReach(r)
		time.Sleep(30 * time.Second)
		r.asked(true) // which changes nothing
		time.Sleep(9 * time.Second)
		r.disconnected()
		time.Sleep(time.Minute)
		inReach(r)
		time.Sleep(time.Hour)
		synctest.Wait()
		require.Equal(t, time.Hour+39*time.Second+time.Minute+40*time.Second, over)
	})
}

func TestWaitingForHostsEndsWithItsContext(t *testing.T) {
	r := newReach(func(bool) {})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, r.wait(ctx, func() time.Duration { return time.Hour }), context.Canceled)
}

func TestSilenceCountsOnlyWhileHostsCanBeAskedAndHeard(t *testing.T) {
	held := false
	r := newReach(func(hold bool) { held = hold })
	require.False(t, r.disconnected(), "nor was there a connection")
	require.True(t, held)
	r.connected()
	require.True(t, held, "nobody was asked yet")
	inReach(r)
	require.False(t, held)
	r.asked(false)
	require.True(t, held)
	r.asked(true)
	require.False(t, held)

	require.True(t, r.disconnected())
	r.asked(true) // by the connection that is gone
	require.True(t, held)

	r.connected()
	of := r.current()
	r.disconnected()
	r.tellDone(of)
	require.True(t, held, "who was slow speaks of a connection that is gone")
	r.connected()
	require.True(t, held, "and not of the next")
	r.asked(false)
	r.tellDone(r.current())
	require.True(t, held, "the query failed meanwhile")
	r.asked(true)
	require.False(t, held)
}
