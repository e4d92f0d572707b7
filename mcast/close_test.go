package mcast_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/mcast/mcasttest"
)

func TestC1_RunEndsWithItsContextAfterItsCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, mcast.New(mcast.Config[string]{}))
		ended := false
		r.add("slow", mcast.SyncFunc[string](func(ctx context.Context, _ mcast.State[string]) error {
			<-ctx.Done()
			time.Sleep(time.Second)
			ended = true
			return ctx.Err()
		}), plain)
		r.join(g1, "a")
		synctest.Wait()
		r.finish()
		require.True(t, ended)
		require.Zero(t, r.Statistics().Sinks[0].Errors)
	})
}

func TestC2_WhatDoesNotEndIsNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		c := mcast.New(mcast.Config[string]{StopGrace: 3 * time.Second, Query: func(context.Context, mcast.QueryRequest[string]) error {
			<-release
			return nil
		}})
		r := start(t, c)
		hang := mcasttest.NewStuck[string]()
		r.add("zebra", hang, plain)
		r.add("fine", mcast.SyncFunc[string](nothing), plain)
		r.add("ant", hang, plain)
		r.join(g1, "a")
		require.NoError(t, r.Apply(mcast.Leave(g1, "a", time.Now())))
		synctest.Wait()
		before := time.Now()
		r.stop()
		var stuck *mcast.StuckError
		require.ErrorAs(t, <-r.end, &stuck)
		require.Equal(t, []string{"ant", "zebra"}, stuck.Sinks)
		require.True(t, stuck.Query)
		require.Equal(t, 3*time.Second, time.Since(before))
		close(release)
		hang.Release()
		synctest.Wait()

		again := start(t, c) // nothing is broken by it
		again.join(g2, "a")
		synctest.Wait()
		again.finish()
		require.Zero(t, c.Statistics().Sinks[0].Running)
	})
}

func TestC3_OnlyOneRunOrFlushIsAtWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, mcast.New(mcast.Config[string]{}))
		require.ErrorIs(t, r.Run(context.Background()), mcast.ErrRunning)
		require.ErrorIs(t, r.Flush(context.Background()), mcast.ErrRunning)
		r.finish()
		var inside error
		r.add("self", mcast.SyncFunc[string](func(context.Context, mcast.State[string]) error {
			inside = r.Flush(context.Background())
			return nil
		}), plain)
		r.join(g1, "a")
		require.NoError(t, r.Flush(context.Background()))
		require.ErrorIs(t, inside, mcast.ErrRunning)
	})
}

func TestC4_WhatWasNotDeliveredStaysDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := mcast.New(mcast.Config[string]{})
		rec := &mcasttest.Recorder[string]{OnSync: func(ctx context.Context, _ mcast.State[string]) error {
			<-ctx.Done()
			return ctx.Err()
		}}
		r := start(t, c)
		r.add("rec", rec, mcast.SinkConfig{Timeout: -1})
		r.join(g1, "a")
		synctest.Wait()
		r.finish()
		require.Empty(t, rec.Holds())
		rec.OnSync = nil
		r.join(g2, "a") // while nobody runs
		r = start(t, c)
		time.Sleep(time.Second)
		require.Len(t, rec.Holds(), 2)
		r.finish()
	})
}

func TestC5_FlushDoesEverythingOnTheCallersGoroutineInOneOrder(t *testing.T) {
	script := func() (log []string) {
		note := func(name string) mcast.Sink[string] {
			return mcast.SyncFunc[string](func(_ context.Context, s mcast.State[string]) error {
				log = append(log, name+" "+s.String()) // unsynchronized: -race would tell
				if name == "two" && s.Group() == nth(3) {
					return errBusy
				}
				return nil
			})
		}
		c := mcast.New(mcast.Config[string]{Query: func(_ context.Context, q mcast.QueryRequest[string]) error {
			log = append(log, "query "+q.Group.String()+q.Member)
			return nil
		}})
		for _, name := range []string{"one", "two"} {
			_, err := c.AddSink(name, note(name), plain)
			require.NoError(t, err)
		}
		for i := range 40 {
			g, m := nth(i%7), fmt.Sprint(i%5)
			_ = c.Apply(mcast.Join(g, m, sec(float64(i))))
			if i%3 == 0 {
				_ = c.Apply(mcast.Leave(g, m, sec(float64(i))))
			}
			c.Advance(sec(float64(i)))
			_ = c.Flush(context.Background())
		}
		return log
	}
	first := script()
	require.NotEmpty(t, first)
	for range 5 {
		require.Equal(t, first, script())
	}
}
