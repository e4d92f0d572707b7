package figures

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Kind is what a figure counts.
type Kind int

// The kinds of figures. Counts are of whatever the unit says.
const (
	Count Kind = iota
	Seconds
	Bytes
	Percent
	PerSecond
)

// Quantity is a figure in the unit of its kind.
type Quantity struct {
	Value float64
	Kind  Kind
}

// scales are the units that figures come in, by what is in front of the first "-" or "/".
var scales = map[string]Quantity{
	"ns": {1e-9, Seconds}, "us": {1e-6, Seconds}, "µs": {1e-6, Seconds}, "ms": {1e-3, Seconds}, "s": {1, Seconds},
	"B": {1, Bytes}, "bytes": {1, Bytes}, "%": {1, Percent}, "frames": {1, PerSecond},
}

// In is a figure of a unit as benchmarks print it, like "ns-ours", "us/table-64" or "allocs-floor".
func In(unit string, value float64) Quantity {
	what := unit
	if i := strings.IndexAny(unit, "-/"); i >= 0 {
		what = unit[:i]
	}
	if q, ok := scales[what]; ok {
		return Quantity{value * q.Value, q.Kind}
	}
	return Quantity{value, Count}
}

// String has three digits, more where they are whole, and the unit that makes them few.
func (q Quantity) String() string {
	switch q.Kind {
	case Seconds:
		return scaled(q.Value, 1e-9, []string{"ns", "µs", "ms", "s"})
	case PerSecond:
		return scaled(q.Value, 1, []string{"/s", "k/s", "M/s"})
	case Bytes:
		return Digits(q.Value) + " B"
	case Percent:
		return Digits(q.Value) + " %"
	}
	return Digits(q.Value)
}

// scaled is v in the first of the units, the smallest of which is least, that leaves less than 1,000 of them; or the
// last one.
func scaled(v, least float64, units []string) string {
	v /= least
	for len(units) > 1 && math.Abs(v) >= 999.5 {
		v, units = v/1000, units[1:]
	}
	return Digits(v) + " " + units[0]
}

// Digits is a number with three digits or all that are whole, in groups of three.
func Digits(v float64) string {
	if math.Abs(v) < 999.5 {
		text := strconv.FormatFloat(v, 'g', 3, 64)
		if strings.Contains(text, "e") {
			text = strconv.FormatFloat(v, 'f', 5, 64)
		}
		return text
	}
	text := fmt.Sprintf("%.0f", v)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
