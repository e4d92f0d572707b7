// Package side runs ways to do one job side by side and reports them as ratios, which mean the same
// on a quiet machine and on a busy one.
package side

import (
	"runtime"
	"slices"
	"testing"
	"time"
)

// Way is one way to do a job. Do does it n times; what it needs is made before.
type Way struct {
	Name string
	Do   func(n int) error
}

// Each is a Do of a job that takes so long that a call does not count.
func Each(do func() error) func(int) error {
	return func(n int) error {
		for range n {
			if err := do(); err != nil {
				return err
			}
		}
		return nil
	}
}

// turn is how long one way runs before the next has its turn: many times as long as its garbage
// takes to call for a collection, so that each pays for its own even in the quickest turns.
const turn = 30 * time.Millisecond

// Compare lets the ways take turns on one core, so that whatever else the machine does slows all of
// them alike. Of each it reports the processor time of a quick turn, as "ns-NAME": a quarter were as
// quick or quicker, for what others do to caches and cores only adds. Its allocations are "allocs-NAME",
// and how long it takes in units of the first one is "x-NAME": 0.25 is four times as fast. What testing
// counts by itself, all ways together, is of no use.
func Compare(b *testing.B, ways ...Way) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	rounds := make([]int, len(ways))
	turns := make([][]float64, len(ways))
	for i, w := range ways {
		rounds[i] = roundsOf(b, w)
	}
	for b.Loop() {
		for i, w := range ways {
			turns[i] = append(turns[i], float64(timed(b, w, rounds[i]))/float64(rounds[i]))
		}
	}
	b.ReportMetric(0, "ns/op")
	first := Quartile(turns[0])
	for i, w := range ways {
		took := Quartile(turns[i])
		b.ReportMetric(took, "ns-"+w.Name)
		b.ReportMetric(allocations(b, w, rounds[i]), "allocs-"+w.Name)
		if i > 0 {
			b.ReportMetric(took/first, "x-"+w.Name)
		}
	}
}

// roundsOf is how often the way does its job in a turn.
func roundsOf(b *testing.B, w Way) int {
	for n := 1; ; n *= 2 {
		if took := timed(b, w, n); took >= turn/2 {
			return 1 + int(time.Duration(n)*turn/took)
		}
	}
}

// timed is the processor time that n rounds take.
func timed(b *testing.B, w Way, n int) time.Duration {
	begin := CPUTime()
	if err := w.Do(n); err != nil {
		b.Fatalf("%s: %v", w.Name, err)
	}
	return CPUTime() - begin
}

// allocations is what one round costs; what a way allocates once in n is divided away.
func allocations(b *testing.B, w Way, n int) float64 {
	return float64(int(testing.AllocsPerRun(1, func() { timed(b, w, n) }) / float64(n)))
}

// Quartile is the first one of some figures, which it sorts.
func Quartile(s []float64) float64 {
	slices.Sort(s)
	return s[len(s)/4]
}

// Median is the middle one of some figures, which it sorts.
func Median(s []float64) float64 {
	slices.Sort(s)
	return s[len(s)/2]
}
