package mcast_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/mcast/mcasttest"
)

// TestSixtyFourGoroutinesDoEverythingAtOnce is for the race detector: every
// method of the cache from many goroutines beside Run, with sinks that come and
// go. In the end what stayed holds what the cache holds.
func TestSixtyFourGoroutinesDoEverythingAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, mcast.New(mcast.Config[string]{
			Leave:  func(m string) mcast.LeavePolicy { return mcast.LeavePolicy(m[4] % 3) },
			Query:  func(context.Context, mcast.QueryRequest[string]) error { return nil },
			Limits: mcast.Limits{Memberships: 60, Sources: 50, Removals: 3},
		}))
		rec, failing := &mcasttest.Recorder[string]{}, &mcasttest.Failing[string]{}
		r.add("rec", rec, plain)
		r.add("failing", failing, plain)
		var wg sync.WaitGroup
		for w := range 64 {
			wg.Go(func() {
				rng := rand.New(rand.NewPCG(1, uint64(w)))
				for range 60 {
					r.disturb(w, rng, failing)
					time.Sleep(time.Duration(rng.IntN(2000)) * time.Millisecond)
				}
			})
		}
		wg.Wait()
		r.Freeze(false)
		r.HoldAging(false)
		failing.Fail(nil)
		time.Sleep(2 * time.Minute)
		for s := range r.Groups() {
			require.Equal(t, s.String(), rec.Holds()[s.Group()].String())
			require.Equal(t, s.String(), failing.Holds()[s.Group()].String())
		}
		require.Zero(t, rec.Overlaps()+failing.Overlaps())
		r.RemoveOwner(static)
		time.Sleep(10 * time.Minute)
		stats := r.Statistics()
		require.Zero(t, stats.Memberships+stats.Members+stats.Sources+stats.Groups+stats.Unconfirmed)
		require.Equal(t, stats.Joins, stats.Leaves+stats.Expiries+stats.Removals)
		require.Len(t, stats.Sinks, 2)
		r.finish()
	})
}

// disturb does one thing or another.
func (r *running) disturb(w int, rng *rand.Rand, failing *mcasttest.Failing[string]) {
	g, m := nth(rng.IntN(5)), ports(10)[rng.IntN(10)]
	switch rng.IntN(16) {
	case 0:
		r.RemoveMember(m, time.Now().Add(-time.Second))
	case 1:
		r.Advance(time.Now())
	case 2:
		s, _ := r.Lookup(g)
		_ = s.String() + forwarding(s) + s.Filter().String()
	case 3:
		watcher := r.Watch(4)
		watcher.TryNext()
		watcher.Close()
	case 4:
		h, err := r.AddSink(fmt.Sprint(w), mcast.SyncFunc[string](changes), mcast.SinkConfig{})
		if err == nil {
			time.Sleep(time.Millisecond)
			h.Resync()
			_ = h.HasSynced()
			_ = h.Remove(context.Background())
		}
	case 5:
		snap := r.Snapshot()
		_, _ = r.Restore(snap, time.Now(), func(m string) (string, bool) { return m, rng.IntN(9) > 0 })
	case 6:
		_, _ = r.Memberships(g), r.MembershipsOf(m)
	case 7:
		r.Freeze(rng.IntN(3) == 0)
		r.HoldAging(rng.IntN(3) == 0)
	case 8:
		r.SetTiming(mcast.Timing{QI: 20 * time.Second, QRI: 5 * time.Second, NonQuerier: rng.IntN(3) == 0})
		r.QuerySeen(mcast.SeenQuery{Group: g, At: time.Now()})
	case 9:
		r.RemoveOwner([]mcast.Owner{{}, static, node1, node2}[rng.IntN(4)])
	case 10:
		r.ExpireUnconfirmed()
		failing.FailFirst(rng.IntN(3), []error{nil, errBusy}[rng.IntN(2)])
	case 11:
		_, _ = r.Next()
		_ = r.Statistics()
	default:
		_ = r.Apply(mcast.Report[string]{
			Group: g, Member: m, Kind: mcast.Kind(1 + rng.IntN(6)), Sources: addrs(s1, s2, s3)[:rng.IntN(4)], Version: uint8(rng.IntN(4)),
			Owner: []mcast.Owner{{}, {}, static, node1, node2}[rng.IntN(5)], At: time.Now(),
		})
	}
}
