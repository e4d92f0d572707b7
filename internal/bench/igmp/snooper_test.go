package igmpbench

import (
	"runtime"
	"testing"
	"time"

	"github.com/ofmcast/ofmcast/igmp/snooper"
	"github.com/ofmcast/ofmcast/internal/bench/side"
)

// How many frames one core reads in a second into a caller that does nothing with them, from a port without limits.
func BenchmarkSnooper(b *testing.B) {
	for _, s := range shapes() {
		b.Run(s.name, func(b *testing.B) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
			f := frame(b, s.m)
			sn := snooper.New(snooper.Config{})
			sn.SetRole(1, snooper.Trusted)
			at := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
			b.ReportAllocs()
			begin := side.CPUTime()
			for b.Loop() {
				at = at.Add(time.Microsecond)
				nothing(sn.Frame(1, f, at))
			}
			b.ReportMetric(float64(b.N)/(side.CPUTime()-begin).Seconds(), "frames/s")
		})
	}
}

//go:noinline
func nothing(snooper.Result) {}
