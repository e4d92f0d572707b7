package table

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
)

// way is one way to do a job of a fixed size.
type way struct {
	name string
	do   func() error
}

// rounds is how often each way has its turn in one iteration of a benchmark.
const rounds = 9

// took is what one turn took, in seconds.
type took struct{ passed, client, vswitch float64 }

// now is what has passed and what both sides have used so far.
func now(tb testing.TB, lab *ovslab.Lab, began time.Time) took {
	tb.Helper()
	client, err := clientTime()
	require.NoError(tb, err)
	vswitch, err := switchTime(lab.Dir())
	require.NoError(tb, err)
	return took{time.Since(began).Seconds(), client, vswitch}
}

// takeTurns has all ways do their job in turn, each round beginning with another, and returns what
// each took each time.
func takeTurns(tb testing.TB, lab *ovslab.Lab, ways []way, rounds int) [][]took {
	tb.Helper()
	all := make([][]took, len(ways))
	for round := range rounds {
		for i := range ways {
			at := (round + i) % len(ways)
			began := time.Now()
			from := now(tb, lab, began)
			require.NoError(tb, ways[at].do(), ways[at].name)
			to := now(tb, lab, began)
			all[at] = append(all[at], took{to.passed - from.passed, to.client - from.client, to.vswitch - from.vswitch})
		}
	}
	return all
}

// compare takes turns and reports medians over the rounds. In microseconds for one of the job's parts:
// the time that passed, and the processor time of this process and of the switch. In percent: the rate
// beside the first way's of the same round ("%"), and beside the first way's where each side has a
// processor to itself, which the busier side decides ("%alone") and which others on the machine do not.
func compare(b *testing.B, lab *ovslab.Lab, parts int, ways ...way) {
	all := make([][]took, len(ways))
	for b.Loop() {
		for i, turns := range takeTurns(b, lab, ways, rounds) {
			all[i] = append(all[i], turns...)
		}
	}
	b.ReportMetric(0, "ns/op")
	first := all[0]
	for i, w := range ways {
		report := func(unit string, of func(round int, t took) float64) {
			b.ReportMetric(median(all[i], of), unit+"/"+w.name)
		}
		each := 1e6 / float64(parts)
		report("us", func(_ int, t took) float64 { return t.passed * each })
		report("us-client", func(_ int, t took) float64 { return t.client * each })
		report("us-switch", func(_ int, t took) float64 { return t.vswitch * each })
		if i > 0 {
			report("%", func(round int, t took) float64 { return 100 * first[round].passed / t.passed })
			report("%alone", func(round int, t took) float64 { return 100 * first[round].busier() / t.busier() })
		}
	}
}

// busier is the processor time of the side that used more.
func (t took) busier() float64 { return max(t.client, t.vswitch) }

func median(turns []took, of func(round int, t took) float64) float64 {
	if len(turns) == 0 {
		return math.NaN()
	}
	values := make([]float64, len(turns))
	for round, t := range turns {
		values[round] = of(round, t)
	}
	slices.Sort(values)
	return values[len(values)/2]
}
