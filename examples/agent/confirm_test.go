package main

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/mcast"
)

func TestHostsHaveTheWholeTimeToAnswerInOnePiece(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, start := newPatience(), time.Now()
		var over time.Duration
		go func() {
			require.NoError(t, p.wait(t.Context(), func() time.Duration { return 40 * time.Second }))
			over = time.Since(start)
		}()
		time.Sleep(time.Hour) // the switch is away
		p.reached(true)
		time.Sleep(30 * time.Second)
		p.reached(true) // which changes nothing
		time.Sleep(9 * time.Second)
		p.reached(false)
		time.Sleep(time.Minute)
		p.reached(true)
		time.Sleep(time.Hour)
		synctest.Wait()
		require.Equal(t, time.Hour+39*time.Second+time.Minute+40*time.Second, over)
	})
}

func TestPatienceEndsWithItsContext(t *testing.T) {
	p := newPatience()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, p.wait(ctx, func() time.Duration { return time.Hour }), context.Canceled)
}

func TestTheTimeToConfirmIsThatOfTheQueriesOfTheStart(t *testing.T) {
	timing := mcast.Timing{RV: 2, QI: 125 * time.Second, QRI: 10 * time.Second}
	require.Equal(t, 31250*time.Millisecond+10*time.Second+time.Second, confirmTime(timing))
	timing.NonQuerier = true
	require.Equal(t, 270*time.Second, confirmTime(timing))
}
