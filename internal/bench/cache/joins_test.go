package cachebench

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/ofmcast/ofmcast/mcast"
)

// stride is how many joins of the usual way go in at once between two that are timed, where all would take minutes.
var stride = map[int]int{100: 1, 300: 1, 1_000: 1, 3_000: 10, 10_000: 20}

// BenchmarkJoins is n members that join one group, each join delivered to one consumer before the next. The consumer
// of the usual way only gets the new map; ours visits what has changed. It reports how many times faster ours is.
// Times are the fastest of all rounds, which is the least disturbed; allocations are those of one join.
func BenchmarkJoins(b *testing.B) {
	for _, n := range []int{100, 300, 1_000, 3_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			members := named("port", n)
			us, plain, indexed := forever, forever, forever
			for b.Loop() {
				for range 100_000/n + 5 {
					us = min(us, timed(b, func() error { return joinOurs(members) }))
				}
				plain = min(plain, timeUsual(b, newUsual(), members))
				indexed = min(indexed, timeUsual(b, newIndexed(), members))
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(us.Seconds()*1e3, "ms-ours")
			b.ReportMetric(indexed.Seconds()*1e3, "ms-usual")
			b.ReportMetric(plain.Seconds()*1e3, "ms-without-index")
			b.ReportMetric(indexed.Seconds()/us.Seconds(), "x-usual")
			b.ReportMetric(plain.Seconds()/us.Seconds(), "x-without-index")
			ours := testing.AllocsPerRun(1, func() { timed(b, func() error { return joinOurs(members) }) })
			b.ReportMetric(math.Floor(ours/float64(n)), "allocs-ours")
			b.ReportMetric(allocsUsual(b, newIndexed(), members), "allocs-usual")
			b.ReportMetric(allocsUsual(b, newUsual(), members), "allocs-without-index")
		})
	}
}

const forever time.Duration = math.MaxInt64

func timed(b *testing.B, f func() error) time.Duration {
	begin := time.Now()
	if err := f(); err != nil {
		b.Fatal(err)
	}
	return time.Since(begin)
}

func joinOurs(members []string) error {
	c := newOurs[string]()
	for _, m := range members {
		if err := c.Apply(mcast.Join(nth(1), m, epoch)); err != nil {
			return err
		}
		if err := c.Flush(context.Background()); err != nil {
			return err
		}
	}
	return nil
}

// timeUsual is the time that all joins take, by those of every stride.
func timeUsual(b *testing.B, u *usual, members []string) (took time.Duration) {
	step := stride[len(members)]
	joinUsual(b, u, members, step, func(join func() error) { took += timed(b, join) })
	return took * time.Duration(step)
}

// allocsUsual is what one join allocates, by some. It has a pass of its own, because to count slows what follows.
func allocsUsual(b *testing.B, u *usual, members []string) float64 {
	const counted = 50
	var all uint64
	joinUsual(b, u, members, len(members)/counted, func(join func() error) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		timed(b, join)
		runtime.ReadMemStats(&after)
		all += after.Mallocs - before.Mallocs
	})
	return float64(all / counted)
}

// joinUsual has all members join, and one of each step by itself and delivered, which measure calls.
func joinUsual(b *testing.B, u *usual, members []string, step int, measure func(join func() error)) {
	defer u.queue.ShutDown()
	held := 0
	for i := 0; i < len(members); i += step {
		if err := u.join("g", members[i:i+step-1]); err != nil {
			b.Fatal(err)
		}
		measure(func() error {
			if err := u.seen("g", members[i+step-1], epoch); err != nil {
				return err
			}
			return u.deliver(func(s *status) { held = len(s.members) })
		})
	}
	if held != len(members) {
		b.Fatal(held, "members delivered")
	}
}
