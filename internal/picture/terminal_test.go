package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEachLineIsInItsRowAndCutWhereTheWindowEnds(t *testing.T) {
	drawn := cast{command: "ls", lines: []printed{{1, "a < b"}, {1, ""}, {1, strings.Repeat("é", columns+1)}, {1, strings.Repeat("é", columns)}}}.svg(dark)
	wellFormed(t, drawn)
	for _, part := range []string{
		`y="13" textLength="28.8" fill="` + dark.ink + `" font-weight="600">$ ls<`,
		`y="30" textLength="36.0" fill="` + dark.ink + `">a &lt; b<`,
		`y="64" textLength="835.2" fill="` + dark.ink + `">` + strings.Repeat("é", columns-1) + "…<",
		`y="81" textLength="835.2" fill="` + dark.ink + `">` + strings.Repeat("é", columns) + "<",
	} {
		require.Contains(t, drawn, part)
	}
	require.NotContains(t, drawn, `y="47" textLength`, "an empty line is no text")
	require.NotContains(t, drawn, light.ink)
}

func TestVerdictsAndWhatBelongsToTheLineAboveLookDifferent(t *testing.T) {
	drawn := cast{command: "x", lines: []printed{{0, "PASS: 3"}, {0, "ok   ="}, {0, "   └ y"}, {0, "== z =="}}}.svg(light)
	for _, part := range []string{">PASS</tspan>: 3<", ">ok</tspan>   =<", `fill="` + light.softer + `">   └ y<`, `font-weight="600">== z ==<`} {
		require.Contains(t, drawn, part)
	}
}

func TestBurstsAreSlowedAndWaitsAreShortened(t *testing.T) {
	times, length := timing([]printed{{0, ""}, {0, ""}, {1, ""}, {100, ""}})
	require.InDeltaSlice(t, []float64{0, leastPause, leastPause + 1, leastPause + 1 + mostPause}, times, 1e-9)
	require.InDelta(t, times[3]+lastPause, length, 1e-9)
}

// Nothing moves while the window has room; then the newest line is in its last row.
func TestTheWindowScrollsWhenItIsFull(t *testing.T) {
	for lines, want := range map[int]int{1: 0, rows: 0, rows + 1: -lineHeight, rows + 5: -5 * lineHeight} {
		require.Equal(t, want, scrolled(lines))
	}
	still := cast{lines: make([]printed, rows)}.svg(light) // and the line with the command
	require.Contains(t, still, "\n.scroll{transform:translateY(-17px)}\n.cover{transform:translateY(476px)}\n")
	require.Contains(t, still, "prefers-reduced-motion:no-preference")
}

// Lines and what covers them move at one pace, or they come apart from one showing to the next.
func TestBothMovementsTakeTheSameTime(t *testing.T) {
	film := cast{lines: []printed{{at: 0.0015}, {at: 1.2345}}}.svg(light)
	require.Contains(t, film, ".scroll,.cover{animation:9.29s step-end infinite}")
	require.Equal(t, 1, strings.Count(film, "animation:"))
}
