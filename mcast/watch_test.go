package mcast_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/mcast"
)

func TestE4_ASlowReaderLosesTheOldestAndIsTold(t *testing.T) {
	c := mcast.New(mcast.Config[string]{})
	w := c.Watch(3)
	join := func(names ...string) {
		for _, m := range names {
			require.NoError(t, c.Apply(mcast.Join(g1, m, epoch)))
		}
	}
	join("a", "b", "c")
	require.Zero(t, c.Statistics().EventsMissed, "three fit")
	join("d", "e")
	require.Equal(t, []string{
		"0.0 233.252.0.1 c joined EXCLUDE{} (2 missed before)",
		"0.0 233.252.0.1 d joined EXCLUDE{}",
		"0.0 233.252.0.1 e joined EXCLUDE{}",
	}, heard(w))
	join("f", "g", "h")
	e, ok := w.TryNext()
	require.True(t, ok)
	require.Zero(t, e.Missed, "it was told already")
	join("i", "j", "k", "l")
	e, ok = w.TryNext()
	require.True(t, ok)
	require.Equal(t, "j", e.Member)
	require.Equal(t, uint64(3), e.Missed)
	require.Len(t, heard(w), 2)
	s := c.Statistics()
	require.Equal(t, uint64(5), s.EventsMissed)
	require.Equal(t, uint64(12), s.Events)
}

func TestTheSizeOfAWatcher(t *testing.T) {
	c := mcast.New(mcast.Config[string]{})
	one, usual := c.Watch(1), c.Watch(0)
	for _, m := range ports(1030) {
		require.NoError(t, c.Apply(mcast.Join(g1, m, epoch)))
	}
	e, _ := one.TryNext()
	require.Equal(t, uint64(1029), e.Missed)
	e, _ = usual.TryNext()
	require.Equal(t, uint64(6), e.Missed)
	require.Len(t, heard(usual), 1023)
}

func TestE5_NoWatcherDelaysTheCacheAndARefreshTellsNothing(t *testing.T) {
	c := mcast.New(mcast.Config[string]{Leave: immediate})
	change := func() {
		_ = c.Apply(mcast.Join(g1, "port1", epoch))
		_ = c.Apply(mcast.Leave(g1, "port1", epoch))
	}
	unwatched := testing.AllocsPerRun(100, change)
	stuck, never := c.Watch(2), c.Watch(0) // nobody reads these
	reader := c.Watch(0)
	require.Equal(t, unwatched, testing.AllocsPerRun(100, change))
	require.Len(t, heard(reader), 202, "the others' being full does not matter")
	require.Zero(t, c.Statistics().Memberships)
	require.Len(t, heard(stuck), 2)
	require.Len(t, heard(never), 202)

	refresh := mcast.Join(g1, "port1", epoch)
	require.NoError(t, c.Apply(refresh))
	require.Len(t, heard(reader), 1)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		refresh.At = refresh.At.Add(time.Second)
		_ = c.Apply(refresh)
	}))
	require.Empty(t, heard(reader))
}

// follower carries what Groups has shown on by events.
type follower map[string]string

func (f follower) begin(c *mcast.Cache[string]) {
	for s := range c.Groups() {
		for m, filter := range s.All() {
			f[s.Group().String()+m] = filter.String()
		}
	}
}

func (f follower) hear(e mcast.Event[string]) {
	if e.New.IsNone() {
		delete(f, e.Group.String()+e.Member)
	} else {
		f[e.Group.String()+e.Member] = e.New.String()
	}
}

// TestE6_EventsCarryOnWhatGroupsHasShown lets readers begin while writers and
// Run are at work.
func TestE6_EventsCarryOnWhatGroupsHasShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, mcast.New(mcast.Config[string]{Leave: func(m string) mcast.LeavePolicy { return mcast.LeavePolicy(len(m) % 3) }}))
		var writers, readers sync.WaitGroup
		follow := func() {
			w, f := r.Watch(1<<14), follower{}
			f.begin(r.Cache)
			for e := range w.Events(context.Background()) {
				assert.Zero(t, e.Missed)
				f.hear(e)
				if e.Member == "the end" {
					w.Close()
				}
			}
			want := follower{}
			want.begin(r.Cache)
			assert.Equal(t, want, f)
		}
		for i := range 4 {
			writers.Go(func() {
				for n := range 300 {
					m := strings.Repeat("x", (i*n)%7+1)
					_ = r.Apply(mcast.Report[string]{Group: nth(n % 3), Member: m, Kind: mcast.Kind(n%6 + 1), Sources: addrs(s1, s2)[:n%3], At: time.Now()})
					if n%50 == 49 {
						r.RemoveMember(m, time.Now())
					}
					time.Sleep(time.Duration(n%5) * time.Millisecond)
				}
			})
			readers.Go(func() {
				time.Sleep(time.Duration(i) * 137 * time.Millisecond)
				follow()
			})
		}
		writers.Wait()
		time.Sleep(10 * time.Second) // the leaves of the last moment
		synctest.Wait()
		r.join(g1, "the end")
		readers.Wait()
		require.Zero(t, r.Statistics().Watchers)
		r.finish()
	})
}

func TestE7_EveryWatcherIsToldAndEachEventGoesToOneReader(t *testing.T) {
	c := mcast.New(mcast.Config[string]{})
	shared, alone := c.Watch(0), c.Watch(0)
	var mu sync.Mutex
	var got []string
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for e := range shared.Events(context.Background()) {
				mu.Lock()
				got = append(got, e.Member)
				mu.Unlock()
			}
		})
	}
	want := ports(500)
	for _, m := range want {
		require.NoError(t, c.Apply(mcast.Join(g1, m, epoch)))
	}
	shared.Close()
	readers.Wait()
	slices.Sort(got)
	slices.Sort(want)
	require.Equal(t, want, got)
	require.Len(t, heard(alone), 500)
}

// Many wait and as many events come before all are awake: each is read.
func TestNoReaderSleepsWhileThereIsSomethingToRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 200
		c := mcast.New(mcast.Config[string]{})
		for i := range n {
			require.NoError(t, c.Apply(mcast.Join(nth(i), "a", epoch)))
		}
		w := c.Watch(0)
		got := make(chan error, n)
		for range n {
			go func() {
				_, err := w.Next(context.Background())
				got <- err
			}()
		}
		synctest.Wait()
		c.RemoveMember("a", epoch)
		synctest.Wait()
		require.Len(t, got, n)
	})
}

// An event and Close at once: the reader that has just begun to wait gets both.
func TestCloseDoesNotOvertakeAnEvent(t *testing.T) {
	c := mcast.New(mcast.Config[string]{})
	for i := range 500 {
		w, got := c.Watch(1), make(chan error)
		go func() {
			_, err := w.Next(context.Background())
			got <- err
		}()
		require.NoError(t, c.Apply(mcast.Join(nth(i), "a", epoch)))
		w.Close()
		require.NoError(t, <-got)
	}
}

func TestE8_WhatHappenedBeforeCloseCanBeReadAfterIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := mcast.New(mcast.Config[string]{})
		w := c.Watch(0)
		require.NoError(t, c.Apply(mcast.Join(g1, "a", epoch)))
		require.NoError(t, c.Apply(mcast.Join(g1, "b", epoch)))
		w.Close()
		w.Close()
		require.NoError(t, c.Apply(mcast.Join(g1, "c", epoch)))
		for _, m := range []string{"a", "b"} {
			e, err := w.Next(context.Background())
			require.NoError(t, err)
			require.Equal(t, m, e.Member)
		}
		_, err := w.Next(context.Background())
		require.ErrorIs(t, err, mcast.ErrClosed)
		_, ok := w.TryNext()
		require.False(t, ok)

		waiting := c.Watch(0)
		ended := make(chan error, 2)
		for range 2 {
			go func() {
				_, err := waiting.Next(context.Background())
				ended <- err
			}()
		}
		synctest.Wait()
		waiting.Close()
		require.ErrorIs(t, <-ended, mcast.ErrClosed)
		require.ErrorIs(t, <-ended, mcast.ErrClosed)
		require.Zero(t, c.Statistics().Watchers)
	})
}

func TestNextEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := mcast.New(mcast.Config[string]{})
		w := c.Watch(0)
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_, err := w.Next(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NoError(t, c.Apply(mcast.Join(g1, "a", epoch)))
		_, err = w.Next(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded, "at once, whatever there is to read")
		for range w.Events(ctx) {
			t.Fatal("read after the end of the context")
		}
		for e := range w.Events(context.Background()) {
			require.Equal(t, "a", e.Member, "and nothing was lost by that")
			break
		}
	})
}

// Under Run a reader hears of silence when it has lasted long enough, and Run
// may end and begin again.
func TestAWatcherBesideRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := mcast.New(mcast.Config[string]{})
		w := c.Watch(0)
		r := start(t, c)
		begin := time.Now()
		r.join(g1, "a")
		require.NoError(t, c.Apply(mcast.Report[string]{Group: g2, Member: "b", Kind: mcast.ModeIsExclude, Owner: node1, At: begin}))
		time.Sleep(100 * time.Second)
		c.RemoveOwner(node1)
		r.finish()
		r = start(t, c)
		var got []string
		for len(got) < 4 {
			e, err := w.Next(context.Background())
			require.NoError(t, err)
			got = append(got, fmt.Sprintf("%v %s %v", e.At.Sub(begin), e.Member, e.Kind))
		}
		require.Equal(t, 270*time.Second, time.Since(begin))
		require.Equal(t, []string{"0s a joined", "0s b joined", "1m40s b removed", "4m30s a expired"}, got)
		r.finish()
	})
}

// What was read is not held on to, neither by the watcher nor by the cache.
func TestAnEventThatWasReadCanBeFreed(t *testing.T) {
	c := mcast.New(mcast.Config[*[1024]byte]{Leave: func(*[1024]byte) mcast.LeavePolicy { return mcast.Immediate }})
	w := c.Watch(4)
	member := new([1024]byte)
	there := weak.Make(member)
	require.NoError(t, c.Apply(mcast.Join(g1, member, epoch)))
	require.NoError(t, c.Apply(mcast.Leave(g1, member, epoch)))
	member = nil
	for range 2 {
		_, ok := w.TryNext()
		require.True(t, ok)
	}
	runtime.GC()
	require.Nil(t, there.Value())
	runtime.KeepAlive(w)
	runtime.KeepAlive(c)
}
