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
	require.Less(t, largeBytes/100_000, 128.0, "bytes a bucket, of 64 each")
}

func TestBuildingOneByOneCostsTimeInProportion(t *testing.T) {
	b := NewBucket(Output(1))
	fastest := func(n, tries int) float64 {
		best := time.Duration(math.MaxInt64)
		for range tries {
			start := time.Now()
			oneByOne(n, b)
			best = min(best, time.Since(start))
		}
		return float64(best)
	}
	// Quadratic growth has slope 2 in every round; a busy machine spoils some rounds only.
	limit := 1.1
	if raceDetector {
		limit = 1.5
	}
	var slopes []float64
	for range 10 {
		slopes = append(slopes, slope(fastest(1_000, 50), fastest(100_000, 3)))
		if slopes[len(slopes)-1] < limit {
			return
		}
	}
	require.Fail(t, "time grows faster than the buckets", "slopes %v", slopes)
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
