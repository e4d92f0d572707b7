package figures

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheSlopeIsTheExponent(t *testing.T) {
	x := []float64{1, 10, 100, 700}
	for _, exponent := range []float64{-1, 0, 0.5, 1, 1.1, 2} {
		var y []float64
		for _, v := range x {
			y = append(y, 42*math.Pow(v, exponent))
		}
		require.InDelta(t, exponent, Slope(x, y), 1e-9)
	}
}

// One point off moves the slope by what least squares says: 10 % at the end of three decades, 0.0124.
func TestTheSlopeIsByLeastSquares(t *testing.T) {
	require.InDelta(t, 1+0.0124, Slope([]float64{1, 10, 100, 1000}, []float64{1, 10, 100, 1100}), 1e-4)
}

func TestNoSlopeIsNotANumber(t *testing.T) {
	for _, xy := range [][2][]float64{
		{}, {{1}, {1}}, {{5, 5}, {1, 2}}, {{1, 2}, {1}}, {{1, 2}, {0, 1}}, {{0, 2}, {1, 1}}, {{1, 2}, {math.Inf(-1), 1}},
	} {
		require.True(t, math.IsNaN(Slope(xy[0], xy[1])), "%v", xy)
	}
}
