package figures

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// As go test prints it: two packages, a benchmark that logs, one that is skipped, one processor.
const output = `goos: linux
goarch: amd64
pkg: example.com/a/codec
cpu: AMD EPYC
BenchmarkFrame
BenchmarkFrame/v2-report
BenchmarkFrame/v2-report-2         	      13	         0 allocs-ours	         5.534 ns-floor	        52.20 ns-ours	      57 B/op
BenchmarkFrame/records/10
    frame_test.go:12: a figure of 3 ns-ours, by the way
BenchmarkFrame/records/10-2        	       8	       208.0 ns-ours	        1.3e+06 x-floor
PASS
ok  	example.com/a/codec	5.535s
pkg: example.com/a/routes
BenchmarkFirst
    first_test.go:35: needs smcroute: not here
--- SKIP: BenchmarkFirst
BenchmarkAdd/1000    	      20	      2289 µs-floor
BenchmarkHalf-2	       20
BenchmarkBroken-2	       20	many ns/op
exit status 1
`

func TestFiguresAreFoundByPackageNameAndUnit(t *testing.T) {
	for name, f := range map[string]*Figures{"printed": Parse(output), "kept": Parse(Parse(output).String())} {
		t.Run(name, func(t *testing.T) {
			for _, want := range []struct {
				benchmark, unit string
				value           float64
			}{
				{"codec/Frame/v2-report", "ns-ours", 52.20},
				{"codec/Frame/v2-report", "B/op", 57},
				{"codec/Frame/v2-report", "allocs-ours", 0},
				{"codec/Frame/records/10", "ns-ours", 208},
				{"codec/Frame/records/10", "x-floor", 1.3e6},
				{"routes/Add/1000", "µs-floor", 2289},
			} {
				got, ok := f.Value(want.benchmark, want.unit)
				require.True(t, ok, want)
				require.InDelta(t, want.value, got, 0, want)
			}
			require.Equal(t, "AMD EPYC", f.Fact("cpu"))
			require.Equal(t, "linux", f.Fact("goos"))
		})
	}
}

func TestWhatWasNotPrintedIsNotThere(t *testing.T) {
	f := Parse(output)
	for _, missing := range [][2]string{
		{"codec/Frame/v2-report", "ns-theirs"}, {"codec/Frame/v3-report", "ns-ours"}, {"routes/Frame/v2-report", "ns-ours"},
		{"routes/Half", "ns/op"}, {"routes/Broken", "ns/op"}, {"codec/Frame", "ns-ours"},
	} {
		_, ok := f.Value(missing[0], missing[1])
		require.False(t, ok, missing)
	}
	require.Empty(t, f.Fact("ok"))
	require.Empty(t, f.Fact("nothing"))
}

func TestASkippedBenchmarkSaysWhy(t *testing.T) {
	for _, f := range []*Figures{Parse(output), Parse(Parse(output).String())} {
		for _, benchmark := range []string{"routes/First", "routes/First/of/many"} {
			reason, ok := f.Skipped(benchmark)
			require.True(t, ok)
			require.Equal(t, "needs smcroute: not here", reason)
		}
		_, ok := f.Skipped("routes/Add/1000")
		require.False(t, ok)
	}
}
