package ofgroup_test

import (
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	. "github.com/ofmcast/ofmcast/ofgroup"
)

// oneByOne builds a group of n buckets, one AddBuckets each.
func oneByOne(n int, b Bucket) Group {
	g := New(1, All)
	for range n {
		g = g.AddBuckets(b)
	}
	return g
}

// slope is the exponent with which cost grows from n to 100 n.
func slope(small, large float64) float64 { return math.Log(large/small) / math.Log(100) }

func TestBuildingOneByOneCostsMemoryInProportion(t *testing.T) {
	b := NewBucket(Output(1))
	cost := func(n int) (bytes, allocs float64) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		g := oneByOne(n, b)
		runtime.ReadMemStats(&after)
		require.Equal(t, n, g.Len())
		return float64(after.TotalAlloc - before.TotalAlloc), float64(after.Mallocs - before.Mallocs)
	}
	smallBytes, smallAllocs := cost(1_000)
	largeBytes, largeAllocs := cost(100_000)
	require.Less(t, slope(smallBytes, largeBytes), 1.1, "%v and %v bytes", smallBytes, largeBytes)
	require.Less(t, largeAllocs, 200.0, "after %v for 1,000", smallAllocs)
	require.Less(t, largeBytes/100_000, 64.0, "bytes a bucket, of 32 each")
}

func TestBuildingOneByOneCostsTimeInProportion(t *testing.T) {
	limit := 1.1
	if raceDetector {
		limit = 1.5 // a copy for each bucket would still give 2
	}
	// The best of several tries for each thousand: other work on the machine, which comes
	// and goes, falls out, and what every try pays at the same place stays.
	var best []time.Duration
	var grown float64
	for try := range 20 {
		for i, d := range thousands(100) {
			if i == len(best) {
				best = append(best, d)
			}
			best[i] = min(best[i], d)
		}
		var all time.Duration
		for _, d := range best {
			all += d
		}
		if grown = slope(float64(best[0]), float64(all)); try >= 4 && grown < limit {
			t.Logf("slope %.3f", grown)
			return
		}
	}
	require.Fail(t, "time grows faster than the buckets", "slope %v", grown)
}

// thousands builds a group of n thousand buckets one by one, and times each thousand.
func thousands(n int) []time.Duration {
	b := NewBucket(Output(1))
	g := New(1, All)
	took := make([]time.Duration, n)
	for i := range took {
		start := time.Now()
		for range 1000 {
			g = g.AddBuckets(b)
		}
		took[i] = time.Since(start)
	}
	return took
}

func BenchmarkBuildOneByOne(b *testing.B) {
	bucket := NewBucket(Output(1))
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(name(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				oneByOne(n, bucket)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/bucket")
		})
	}
}
