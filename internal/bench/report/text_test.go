package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/bench/figures"
)

// A run of few benchmarks, of which one is skipped.
const output = `date: 2026-12-01
machine: 2 × a processor
pkg: example.com/codec
BenchmarkFrame/10-2	5	100 ns-ours	0 allocs-ours	150 ns-theirs	1 allocs-theirs
BenchmarkFrame/100-2	5	1000 ns-ours	0 allocs-ours	15000 ns-theirs	2 allocs-theirs
BenchmarkRate-2	5	12 us/ours	10 us/bare	81 %/ours
    wire_test.go:7: needs a wire
--- SKIP: BenchmarkWire
`

func read(output string) *reader { return &reader{Figures: figures.Parse(output)} }

func example() []section {
	const frame = "codec/Frame/%d"
	timed := func(what, unit string) row { return row{what: what, ours: figure{benchmark: "codec/Rate", unit: unit}} }
	share := timed("a share", "us/ours")
	share.other, share.share, share.aims = figure{benchmark: "codec/Rate", unit: "us/bare"}, "%/ours", []aim{ahead(0.9)}
	return []section{
		{"codec: frames", "theirs", []row{{
			what: "100 records", ours: turns(frame, "ours"), other: turns(frame, "theirs"), n: 100, over: []int{10, 100},
			aims: []aim{ahead(4), allocs(0), grows(0.5)},
		}}},
		{"rate", "bare", []row{share, timed("bare", "us/bare")}},
	}
}

func TestTheTableIsAligned(t *testing.T) {
	require.Equal(t, `date      2026-12-01
machine   2 × a processor
versions  unknown

`+legend+`
codec: frames
                ours  theirs  ratio  aim                                       allocations  growth
  100 records   1 µs   15 µs     15  ≥ 4 met, 0 allocated met, ≤ n^0.5 MISSED  0 | 2        n^1.00 | n^2.00 (10 to 100)

rate
                ours    bare  ratio  aim
  a share      12 µs   10 µs   0.81  ≥ 0.9 MISSED
  bare         10 µs
`, text(read(output), example()))
}

// Nothing is left blank: a figure that is not there is said to be missing, twice, and one that is skipped why.
func TestWhatIsNotThereIsSaid(t *testing.T) {
	for name, c := range map[string]struct {
		row     row
		cells   [columns]string
		missing []string
		skipped []string
	}{
		"benchmark": {
			row:     row{what: "x", ours: turns("codec/Gone", "ours"), other: turns("codec/Frame/10", "theirs"), aims: []aim{ahead(1), allocs(0)}},
			cells:   [columns]string{"x", "missing", "150 ns", "?", "≥ 1 ?, 0 allocated ?", "missing | 1", ""},
			missing: []string{"codec/Gone: ns-ours", "codec/Gone: allocs-ours"},
		},
		"unit of the other": {
			row:     row{what: "x", ours: turns("codec/Frame/10", "ours"), other: turns("codec/Frame/10", "others"), aims: []aim{later(1)}},
			cells:   [columns]string{"x", "100 ns", "missing", "?", "≤ +1 s ?", "0 | missing", ""},
			missing: []string{"codec/Frame/10: ns-others", "codec/Frame/10: allocs-others"},
		},
		"one size of many": {
			row: row{
				what: "x", ours: figure{benchmark: "codec/Frame/%d", unit: "ns-ours"}, n: 10, over: []int{10, 50, 100},
				aims: []aim{grows(9), under("ns", 100)},
			},
			cells:   [columns]string{"x", "100 ns", "", "", "≤ n^9 ?, ≤ 100 ns met", "", "n^? (10 to 100)"},
			missing: []string{"codec/Frame/50: ns-ours"},
		},
		"share": {
			row:     row{what: "x", ours: figure{benchmark: "codec/Rate", unit: "us/ours"}, other: figure{benchmark: "codec/Rate", unit: "us/bare"}, share: "%/gone"},
			cells:   [columns]string{"x", "12 µs", "10 µs", "?", "", "", ""},
			missing: []string{"codec/Rate: %/gone"},
		},
		"skipped": {
			row:     row{what: "x", ours: figure{benchmark: "codec/Wire/10", unit: "ns-ours"}, aims: []aim{under("ns", 1)}},
			cells:   [columns]string{"x", "skipped", "", "", "≤ 1 ns ?", "", ""},
			skipped: []string{"codec/Wire/10: needs a wire"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := read(output)
			require.Equal(t, c.cells, c.row.cells(r))
			require.Equal(t, c.missing, r.missing)
			require.Equal(t, c.skipped, r.skipped)
			printed := text(r, nil)
			for _, lack := range append(c.missing, c.skipped...) {
				require.Contains(t, printed, "\n  "+lack+"\n")
			}
		})
	}
}

func TestAimsAreMetAtTheirLimit(t *testing.T) {
	r := read("pkg: p\nBenchmarkX-2\t1\t2 ms-ours\t3 allocs-ours\t1 ms-theirs\n")
	w := row{ours: figure{"p/X", "ms-ours", "allocs-ours"}, other: figure{benchmark: "p/X", unit: "ms-theirs"}}
	x := w.read(r)
	x.ours.slope = 1.1
	for _, met := range []aim{ahead(0.5), under("ms", 2), later(1e-3), allocs(3), grows(1.1)} {
		require.Equal(t, "met", met.verdict(x), met.text)
	}
	for _, missed := range []aim{ahead(0.51), under("ms", 1.9), later(0.9e-3), allocs(2), grows(1.09)} {
		require.Equal(t, "MISSED", missed.verdict(x), missed.text)
	}
}

func TestOneFaultIsListedOnce(t *testing.T) {
	r := read(output)
	lost := row{what: "x", ours: figure{benchmark: "codec/Gone", unit: "ns-ours"}}
	printed := text(r, []section{{title: "a", rows: []row{lost, lost}}})
	require.Equal(t, 1, strings.Count(printed, "codec/Gone"))
}
