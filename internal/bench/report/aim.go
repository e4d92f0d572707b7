package main

import (
	"fmt"
	"math"

	"github.com/ofmcast/ofmcast/internal/bench/figures"
)

// aim is what a row shall reach. Its room is how far the row is on the right side, and not a number where that is not
// known.
type aim struct {
	text string
	room func(result) float64
}

func (a aim) verdict(x result) string {
	switch room := a.room(x); {
	case math.IsNaN(room):
		return "?"
	case room >= 0:
		return "met"
	}
	return "MISSED"
}

// ahead is a ratio at least.
func ahead(ratio float64) aim {
	return aim{"≥ " + figures.Digits(ratio), func(x result) float64 { return x.ratio - ratio }}
}

// under is a figure of ours at most, in the unit that it has in the row.
func under(unit string, most float64) aim {
	q := figures.In(unit, most)
	return aim{"≤ " + q.String(), func(x result) float64 { return q.Value - x.ours.value.Value }}
}

// later is how much longer than the other ours takes at most, in seconds.
func later(most float64) aim {
	q := figures.Quantity{Value: most, Kind: figures.Seconds}
	return aim{"≤ +" + q.String(), func(x result) float64 { return most - (x.ours.value.Value - x.other.value.Value) }}
}

// allocs are allocations at most.
func allocs(most float64) aim {
	return aim{fmt.Sprintf("%v allocated", most), func(x result) float64 { return most - x.ours.allocs.Value }}
}

// grows is an exponent at most.
func grows(most float64) aim {
	return aim{fmt.Sprintf("≤ n^%v", most), func(x result) float64 { return most - x.ours.slope }}
}
