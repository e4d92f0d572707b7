//go:build unix

package cachebench

import (
	"context"
	"syscall"
	"testing"
	"time"

	"github.com/ofmcast/ofmcast/mcast"
)

const (
	span  = 9 * time.Minute // two membership intervals
	tenth = time.Second / 10
)

// BenchmarkIdle is what a million memberships cost while nothing ends: "%-core-silent" is all that the process uses
// under Run while no report comes, garbage collection included, and "%-core-refreshed" is Advance alone, ten times a
// second for two membership intervals, while every membership is refreshed every 125 s: each comes up once in an
// interval to be put back.
func BenchmarkIdle(b *testing.B) {
	c := mcast.New(mcast.Config[string]{Limits: unlimited})
	names := named("port", members)
	start := time.Now()
	err := fill(func(g, m int, _ time.Time) error { return c.Apply(mcast.Join(nth(g), names[m], start)) })
	if err != nil {
		b.Fatal(err)
	}
	b.Run("silent", func(b *testing.B) {
		heap() // what loading has left is no part of it
		const window = 3 * time.Second
		var used time.Duration
		for b.Loop() {
			ctx, stop := context.WithTimeout(context.Background(), window)
			used -= processTime(b)
			if err := c.Run(ctx); err != nil {
				b.Fatal(err)
			}
			used += processTime(b)
			stop()
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(100*used.Seconds()/window.Seconds()/float64(b.N), "%-core-silent")
	})
	b.Run("refreshed", func(b *testing.B) {
		var took time.Duration
		for b.Loop() {
			took += refreshed(b, c, names, start)
			start = start.Add(span)
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(100*took.Seconds()/span.Seconds()/float64(b.N), "%-core-refreshed")
	})
}

// refreshed is the processor time that Advance takes in a span from start on, in which each group is refreshed every 125 s.
func refreshed(b *testing.B, c *mcast.Cache[string], names []string, start time.Time) (took time.Duration) {
	const interval = 1_250 // in tenths of a second
	for step := range int(span / tenth) {
		now := start.Add(time.Duration(step) * tenth)
		for g := step % interval; g < groups; g += interval {
			for i := range each {
				report := mcast.Join(nth(g), names[(g*each+i)%members], now)
				if err := c.Apply(report); err != nil {
					b.Fatal(err)
				}
			}
		}
		took -= processTime(b)
		c.Advance(now)
		took += processTime(b)
	}
	if n := c.Statistics().Memberships; n != memberships {
		b.Fatal(n, "memberships")
	}
	return took
}

// processTime is the processor time of the process so far.
func processTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
