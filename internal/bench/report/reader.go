package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ofmcast/ofmcast/internal/bench/figures"
)

// reader reads figures, and remembers what it did not find: benchmarks that were not run or said something else, and
// those that were skipped, with the reason.
type reader struct {
	*figures.Figures
	missing, skipped []string
}

// reading is a figure and how it is shown. What was not found is not a number, and shown as that.
type reading struct {
	figures.Quantity
	text string
}

// nothing is where nothing shall be found.
var nothing = reading{Quantity: figures.Quantity{Value: math.NaN()}}

// read is a figure at size n, which the benchmark's name may have a %d for.
func (r *reader) read(benchmark, unit string, n int) reading {
	if unit == "" {
		return nothing
	}
	benchmark = at(benchmark, n)
	if v, ok := r.Value(benchmark, unit); ok {
		q := figures.In(unit, v)
		return reading{q, q.String()}
	}
	if reason, ok := r.Skipped(benchmark); ok {
		remember(&r.skipped, benchmark+": "+reason)
		return reading{nothing.Quantity, "skipped"}
	}
	remember(&r.missing, benchmark+": "+unit)
	return reading{nothing.Quantity, "missing"}
}

func at(benchmark string, n int) string {
	if strings.Contains(benchmark, "%d") {
		return fmt.Sprintf(benchmark, n)
	}
	return benchmark
}

func remember(all *[]string, one string) {
	if !slices.Contains(*all, one) {
		*all = append(*all, one)
	}
}

// figure is where a figure stands, and where its allocations, if they were counted. The zero value is none.
type figure struct{ benchmark, unit, allocs string }

// series are the figures at all sizes.
func (f figure) series(r *reader, sizes []int) (x, y []float64) {
	for _, n := range sizes {
		x = append(x, float64(n))
		y = append(y, r.read(f.benchmark, f.unit, n).Value)
	}
	return x, y
}

// side is one side of a row.
type side struct {
	value, allocs reading
	growth        string
	slope         float64
}

func (f figure) read(r *reader, n int, over []int) side {
	s := side{value: r.read(f.benchmark, f.unit, n), allocs: r.read(f.benchmark, f.allocs, n), slope: math.NaN()}
	if f.unit == "" || len(over) == 0 {
		return s
	}
	s.slope = figures.Slope(f.series(r, over))
	s.growth = exponent(s.slope)
	return s
}

// exponent is how a slope is shown.
func exponent(slope float64) string {
	if math.IsNaN(slope) {
		return "n^?"
	}
	if math.Abs(slope) < 0.005 {
		slope = 0 // and not -0
	}
	return fmt.Sprintf("n^%.2f", slope)
}
