package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/ofmcast/ofmcast/internal/bench/figures"
)

// section is a part of the table, whose rows have the same beside them.
type section struct {
	title string
	other string // the heading of what is beside ours; "" if nothing is
	rows  []row
}

// row is a line of the table: which figures it is made of.
type row struct {
	what  string
	ours  figure
	other figure
	share string // a unit in percent, where the ratio was taken round by round
	n     int    // the size that the row shows
	over  []int  // the sizes that the growth is fitted over; none: it has none
	aims  []aim
}

// result is what a row's figures are.
type result struct {
	ours, other side
	ratio       float64 // how many times as good as the other; not a number without one
}

// columns of a row: what, ours, other, ratio, aim, allocations, growth.
const columns = 7

func (w row) read(r *reader) result {
	x := result{ours: w.ours.read(r, w.n, w.over), other: w.other.read(r, w.n, w.over)}
	x.ratio = x.other.value.Value / x.ours.value.Value
	if w.share != "" {
		x.ratio = r.read(w.ours.benchmark, w.share, w.n).Value / 100
	}
	return x
}

// cells are a row's texts.
func (w row) cells(r *reader) [columns]string {
	x := w.read(r)
	ratio := ""
	if w.other != (figure{}) {
		ratio = "?"
		if !math.IsNaN(x.ratio) {
			ratio = figures.Digits(x.ratio)
		}
	}
	return [columns]string{
		w.what, x.ours.value.text, x.other.value.text, ratio, w.judged(x),
		beside(x.ours.allocs.text, x.other.allocs.text), w.growth(x),
	}
}

// judged are the aims, and whether they are met.
func (w row) judged(x result) string {
	var texts []string
	for _, a := range w.aims {
		texts = append(texts, a.text+" "+a.verdict(x))
	}
	return strings.Join(texts, ", ")
}

// growth are the exponents, and over which sizes.
func (w row) growth(x result) string {
	if len(w.over) == 0 {
		return ""
	}
	return fmt.Sprintf("%s (%s to %s)", beside(x.ours.growth, x.other.growth),
		figures.Digits(float64(w.over[0])), figures.Digits(float64(w.over[len(w.over)-1])))
}

// beside is ours beside the other's, where there is one.
func beside(ours, other string) string {
	if other == "" {
		return ours
	}
	if ours == "" {
		ours = "-"
	}
	return ours + " | " + other
}
