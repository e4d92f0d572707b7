package mcast_test

import (
	"context"
	"fmt"
	"net/netip"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/ofmcast/ofmcast/mcast"
)

// The benchmarks are those that the usual way, an indexer and a work queue
// with a copied member map, was measured with.

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func at(d time.Duration) time.Time { return epoch.Add(d) }

// nth is one of 2^24 groups.
func nth(i int) mcast.Group {
	return mcast.Group{Addr: netip.AddrFrom4([4]byte{239, byte(i >> 16), byte(i >> 8), byte(i)})}
}

func ports(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("port%d", i)
	}
	return out
}

func nothing(context.Context, mcast.State[string]) error { return nil }

func changes(_ context.Context, s mcast.State[string]) error {
	for range s.Changes() {
	}
	return nil
}

func BenchmarkJoins(b *testing.B) {
	for _, n := range []int{100, 1_000, 10_000} {
		members := ports(n)
		b.Run(fmt.Sprintf("nosink/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c := mcast.New(mcast.Config[string]{})
				for _, m := range members {
					c.Apply(mcast.Join(nth(1), m, epoch))
				}
			}
		})
		b.Run(fmt.Sprintf("synceach/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				joinAndSync(b, members)
			}
		})
	}
}

func joinAndSync(tb testing.TB, members []string) {
	c := mcast.New(mcast.Config[string]{})
	if _, err := c.AddSink("s", mcast.SyncFunc[string](changes), mcast.SinkConfig{MinInterval: -1}); err != nil {
		tb.Fatal(err)
	}
	for _, m := range members {
		c.Apply(mcast.Join(nth(1), m, epoch))
		if err := c.Flush(context.Background()); err != nil {
			tb.Fatal(err)
		}
	}
}

func fill(groups, each int) *mcast.Cache[string] {
	c := mcast.New(mcast.Config[string]{})
	members := ports(each)
	for g := range groups {
		for _, m := range members {
			c.Apply(mcast.Join(nth(g), m, epoch))
		}
	}
	return c
}

func BenchmarkMemberships100k(b *testing.B) {
	var before, after runtime.MemStats
	b.ReportAllocs()
	for b.Loop() {
		runtime.GC()
		runtime.ReadMemStats(&before)
		c := fill(10_000, 10)
		b.StopTimer()
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/100_000, "B/membership")
		runtime.KeepAlive(c)
		b.StartTimer()
	}
}

func BenchmarkRefresh(b *testing.B) {
	for _, n := range []int{10, 1_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			c := mcast.New(mcast.Config[string]{})
			members := ports(n)
			for _, m := range members {
				c.Apply(mcast.Join(nth(1), m, epoch))
			}
			r := mcast.Report[string]{Group: nth(1), Kind: mcast.ModeIsExclude, At: at(time.Second)}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				r.Member = members[i%n]
				c.Apply(r)
			}
		})
	}
}

// BenchmarkRefreshFloor is what the machine allows: a lock, two maps, a time.
func BenchmarkRefreshFloor(b *testing.B) {
	members := ports(1000)
	groups := map[mcast.Group]map[string]*time.Time{nth(1): {}}
	for _, m := range members {
		groups[nth(1)][m] = &time.Time{}
	}
	var mu sync.Mutex
	for i := 0; b.Loop(); i++ {
		mu.Lock()
		*groups[nth(1)][members[i%1000]] = epoch
		mu.Unlock()
	}
}

// BenchmarkWatched is a join and an immediate leave with that many watchers,
// none of whom reads.
func BenchmarkWatched(b *testing.B) {
	for _, n := range []int{0, 1, 10} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			c := mcast.New(mcast.Config[string]{Leave: immediate})
			for range n {
				defer c.Watch(0).Close()
			}
			b.ReportAllocs()
			for b.Loop() {
				c.Apply(mcast.Join(nth(1), "other", epoch))
				c.Apply(mcast.Leave(nth(1), "other", epoch))
			}
		})
	}
}

func BenchmarkMemberLeaves1000Groups(b *testing.B) {
	for _, n := range []int{1, 10, 100} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				c := fill(1_000, n)
				b.StartTimer()
				c.RemoveMember("port0", at(time.Second))
			}
		})
	}
}

func BenchmarkStaleScan(b *testing.B) {
	b.Run("none", func(b *testing.B) {
		c := fill(10_000, 10)
		for i := 1; b.Loop(); i++ {
			c.Advance(at(time.Duration(i)))
		}
	})
	b.Run("all", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			c := fill(10_000, 10)
			b.StartTimer()
			c.Advance(at(time.Hour))
		}
	})
}
