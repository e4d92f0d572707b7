package side

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAQuarterIsAsQuickOrQuicker(t *testing.T) {
	for _, c := range []struct {
		figures          []float64
		quartile, median float64
	}{
		{[]float64{7}, 7, 7},
		{[]float64{9, 1, 5}, 1, 5},
		{[]float64{8, 7, 6, 5, 4, 3, 2, 1}, 3, 5},
	} {
		require.InDelta(t, c.quartile, Quartile(c.figures), 0)
		require.InDelta(t, c.median, Median(c.figures), 0)
	}
}

var kept []byte

// Each way has its time, its allocations and its ratio.
func TestWaysAreReportedBesideOneAnother(t *testing.T) {
	r := testing.Benchmark(func(b *testing.B) {
		Compare(b,
			Way{Name: "one", Do: Each(func() error { kept = make([]byte, 100); return nil })},
			Way{Name: "ten", Do: Each(func() error {
				for range 10 {
					kept = make([]byte, 100)
				}
				return nil
			})},
		)
	})
	require.InDelta(t, 1, r.Extra["allocs-one"], 0)
	require.InDelta(t, 10, r.Extra["allocs-ten"], 0)
	require.Greater(t, r.Extra["ns-one"], 0.)
	require.Greater(t, r.Extra["x-ten"], 2.)
	require.NotContains(t, r.Extra, "x-one")
}

func TestAWayThatFailsIsNoResult(t *testing.T) {
	broken := errors.New("broken")
	require.ErrorIs(t, Each(func() error { return broken })(3), broken)
	r := testing.Benchmark(func(b *testing.B) { Compare(b, Way{Name: "broken", Do: func(int) error { return broken }}) })
	require.Zero(t, r.N)
}
