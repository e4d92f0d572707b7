package deadline_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup/internal/deadline"
)

type key struct{}

func TestItEndsWithItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		ctx := deadline.Within(context.WithValue(t.Context(), key{}, 1), time.Minute)
		defer ctx.End()
		at, ok := ctx.Deadline()
		require.True(t, ok)
		require.Equal(t, time.Minute, at.Sub(start))
		require.NoError(t, ctx.Err())
		require.Equal(t, 1, ctx.Value(key{}))
		<-ctx.Done()
		require.Equal(t, time.Minute, time.Since(start))
		require.ErrorIs(t, ctx.Err(), context.DeadlineExceeded)
	})
}

func TestItsErrorNeedsNobodyWhoWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := deadline.Within(t.Context(), time.Minute)
		defer ctx.End()
		time.Sleep(time.Minute - time.Nanosecond)
		require.NoError(t, ctx.Err())
		time.Sleep(time.Nanosecond)
		require.ErrorIs(t, ctx.Err(), context.DeadlineExceeded)
		<-ctx.Done()
	})
}

func TestItEndsWithTheOneBelow(t *testing.T) {
	for _, waited := range []bool{false, true} {
		parent, cancel := context.WithCancel(t.Context())
		ctx := deadline.Within(parent, time.Hour)
		if waited {
			require.NotNil(t, ctx.Done())
		}
		cancel()
		require.ErrorIs(t, ctx.Err(), context.Canceled)
		<-ctx.Done()
		ctx.End()
	}
}

func TestADeadlineThatIsThereIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		parent, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		ctx := deadline.Within(parent, time.Minute)
		defer ctx.End()
		want, _ := parent.Deadline()
		at, _ := ctx.Deadline()
		require.Equal(t, want, at)
		time.Sleep(2 * time.Minute)
		require.NoError(t, ctx.Err())
		<-ctx.Done()
		require.ErrorIs(t, ctx.Err(), context.DeadlineExceeded)
	})
}

func TestEndEndsTheTimer(t *testing.T) {
	ctx := deadline.Within(t.Context(), time.Hour)
	ctx.End() // there is none
	require.NoError(t, ctx.Err())
	done := ctx.Done()
	ctx.End()
	ctx.End()
	<-done
	require.ErrorIs(t, ctx.Err(), context.Canceled)
}

func TestAllWhoWaitWaitForTheSame(t *testing.T) {
	ctx := deadline.Within(t.Context(), time.Hour)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { <-ctx.Done() })
	}
	require.NotNil(t, ctx.Done())
	ctx.End()
	all.Wait()
}

func TestThoseMadeFromItEndWithIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := deadline.Within(t.Context(), time.Minute)
		defer ctx.End()
		child, cancel := context.WithTimeout(ctx, time.Hour)
		defer cancel()
		<-child.Done()
		require.ErrorIs(t, child.Err(), context.DeadlineExceeded)
	})
}

func TestWhoHasTimersAsksForTheLimit(t *testing.T) {
	parent := t.Context()
	ctx := deadline.Within(parent, time.Hour)
	defer ctx.End()
	below, at, ok := deadline.Limit(ctx)
	require.True(t, ok)
	require.Equal(t, parent, below)
	want, _ := ctx.Deadline()
	require.Equal(t, want, at)
	_, _, ok = deadline.Limit(parent)
	require.False(t, ok)
}

func TestATimerIsNotSetForNothing(t *testing.T) {
	parent := t.Context()
	require.LessOrEqual(t, testing.AllocsPerRun(100, func() {
		ctx := deadline.Within(parent, time.Hour)
		if err := ctx.Err(); err != nil {
			t.Error(err)
		}
		ctx.End()
	}), 1.)
}
