package mcast_test

import (
	"context"
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/mcast"
)

// TestD13_JoinsCostLogNWithDeliveryAndChanges measures joins into one group
// with a Sync each that visits Changes: in bytes, which tell the shape on any
// machine however busy; BenchmarkJoins has the time.
func TestD13_JoinsCostLogNWithDeliveryAndChanges(t *testing.T) {
	sizes := []int{100, 1_000, 10_000}
	var bytes []float64
	for _, n := range sizes {
		members := ports(n)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		joinAndSync(t, members)
		runtime.ReadMemStats(&after)
		bytes = append(bytes, float64(after.TotalAlloc-before.TotalAlloc))
	}
	require.Less(t, slope(sizes, bytes), 1.15, "bytes %v", bytes)
}

// slope is the log-log slope by least squares.
func slope(n []int, y []float64) float64 {
	var sx, sy, sxx, sxy float64
	for i := range n {
		x, v := math.Log(float64(n[i])), math.Log(y[i])
		sx, sy, sxx, sxy = sx+x, sy+v, sxx+x*x, sxy+x*v
	}
	k := float64(len(n))
	return (k*sxy - sx*sy) / (k*sxx - sx*sx)
}

// A leave from a big group must not cost a walk through it.
func TestALeaveFromABigGroupAllocatesLittle(t *testing.T) {
	c := mcast.New(mcast.Config[string]{Leave: func(string) mcast.LeavePolicy { return mcast.Immediate }})
	_, err := c.AddSink("s", mcast.SyncFunc[string](changes), plain)
	require.NoError(t, err)
	for _, m := range ports(20_000) {
		require.NoError(t, c.Apply(mcast.Join(nth(1), m, epoch)))
	}
	require.NoError(t, c.Flush(context.Background()))
	require.Less(t, testing.AllocsPerRun(100, func() {
		_ = c.Apply(mcast.Leave(nth(1), "port77", epoch))
		_ = c.Flush(context.Background())
		_ = c.Apply(mcast.Join(nth(1), "port77", epoch))
		_ = c.Flush(context.Background())
	}), 60.0)
}

// Advance costs what is due, not what is there.
func TestAdvanceDoesNotLookAtWhatIsNotDue(t *testing.T) {
	c := fill(1_000, 10)
	require.Zero(t, testing.AllocsPerRun(100, func() { c.Advance(at(time.Second)) }))
	next, ok := c.Next()
	require.True(t, ok)
	require.Equal(t, at(270*time.Second), next)
}
