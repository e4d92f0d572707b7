// Package plot draws how figures grow with n, on two logarithmic axes, as SVG.
package plot

import (
	"math"

	"github.com/ofmcast/ofmcast/internal/bench/figures"
)

// Plot is one picture.
type Plot struct {
	Title  string
	X      string       // what n counts
	Kind   figures.Kind // of what is drawn
	Series []Series     // at most four
}

// Series is one line. Its figures are positive, X ascending.
type Series struct {
	Name string
	X, Y []float64
}

// axis is one of the two, over whole decades.
type axis struct {
	low, high  int     // exponents of 10
	start, end float64 // pixels of the two
}

// axisOver has all values within.
func axisOver(values []float64, start, end float64) axis {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		low, high = min(low, math.Log10(v)), max(high, math.Log10(v))
	}
	const whole = 1e-9 // 1000 is 10^3, whatever its logarithm says in its last digit
	a := axis{low: int(math.Floor(low + whole)), high: int(math.Ceil(high - whole)), start: start, end: end}
	if a.high == a.low {
		a.high++
	}
	return a
}

// at is the pixel of a value.
func (a axis) at(v float64) float64 {
	part := (math.Log10(v) - float64(a.low)) / float64(a.high-a.low)
	return a.start + part*(a.end-a.start)
}

// decades are the values at which the axis has a line.
func (a axis) decades() (all []float64) {
	for e := a.low; e <= a.high; e++ {
		all = append(all, math.Pow10(e))
	}
	return all
}

// values are those of all series together.
func (p Plot) values() (x, y []float64) {
	for _, s := range p.Series {
		x, y = append(x, s.X...), append(y, s.Y...)
	}
	return x, y
}
