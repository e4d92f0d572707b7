package cachebench

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/ofmcast/ofmcast/mcast"
)

// stride is how many joins of the usual way go in at once between two that are timed, where all would take minutes.
var stride = map[int]int{100: 1, 1_000: 1, 10_000: 20}

// BenchmarkJoins is n members that join one group, each join delivered to one consumer before the next. The consumer
// of the usual way only gets the new map; ours visits what has changed. It reports how many times faster ours is, and
// at the end the slope of the time over n on a log-log scale: 1 is in proportion, 2 is the square. Times are the
// fastest of all rounds, which is the least disturbed.
func BenchmarkJoins(b *testing.B) {
	var sizes, ours, theirs []float64
	for _, n := range []int{100, 1_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			members := named("port", n)
			us, plain, indexed := forever, forever, forever
			for b.Loop() {
				for range 100_000/n + 5 {
					us = min(us, timed(b, func() error { return joinOurs(members) }))
				}
				plain = min(plain, joinUsual(b, newUsual(), members))
				indexed = min(indexed, joinUsual(b, newIndexed(), members))
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(us.Seconds()*1e3, "ms-ours")
			b.ReportMetric(indexed.Seconds()*1e3, "ms-usual")
			b.ReportMetric(indexed.Seconds()/us.Seconds(), "x-usual")
			b.ReportMetric(plain.Seconds()/us.Seconds(), "x-without-index")
			sizes, ours, theirs = append(sizes, float64(n)), append(ours, us.Seconds()), append(theirs, indexed.Seconds())
		})
	}
	b.Run("slope", func(b *testing.B) {
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(slope(sizes, ours), "slope-ours")
		b.ReportMetric(slope(sizes, theirs), "slope-usual")
	})
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

// joinUsual is the time that all joins take, by those of every stride.
func joinUsual(b *testing.B, u *usual, members []string) (took time.Duration) {
	defer u.queue.ShutDown()
	step, held := stride[len(members)], 0
	for i := 0; i < len(members); i += step {
		if err := u.join("g", members[i:i+step-1]); err != nil {
			b.Fatal(err)
		}
		took += timed(b, func() error { return u.seen("g", members[i+step-1], epoch) })
		took += timed(b, func() error { return u.deliver(func(s *status) { held = len(s.members) }) })
	}
	if held != len(members) {
		b.Fatal(held, "members delivered")
	}
	return took * time.Duration(step)
}

// slope is by least squares over the logarithms.
func slope(x, y []float64) float64 {
	var sx, sy, sxx, sxy float64
	for i := range x {
		lx, ly := math.Log(x[i]), math.Log(y[i])
		sx, sy, sxx, sxy = sx+lx, sy+ly, sxx+lx*lx, sxy+lx*ly
	}
	k := float64(len(x))
	return (k*sxy - sx*sy) / (k*sxx - sx*sx)
}
