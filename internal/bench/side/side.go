// Package side runs ways to do one job side by side and reports them as ratios, which mean the same
// on a quiet machine and on a busy one.
package side

import "testing"

// Way is one way to do a job. Do does it once; what it needs is made before.
type Way struct {
	Name string
	Do   func() error

	// Beside is the time of another way that cannot run here, in units of the first way's.
	// The result says how many times faster Do is than that, as "faster". Zero is none.
	Beside float64
}

// Compare runs each way as a sub-benchmark with its allocations reported. Those after the first also
// report how long they take in units of the first one, as "x/NAME": 0.25 is four times as fast.
func Compare(b *testing.B, ways ...Way) {
	var first float64
	for i, w := range ways {
		b.Run(w.Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := w.Do(); err != nil {
					b.Fatal(err)
				}
			}
			took := float64(b.Elapsed()) / float64(b.N)
			if i == 0 {
				first = took
				return
			}
			if first > 0 {
				b.ReportMetric(took/first, "x/"+ways[0].Name)
			}
			if w.Beside > 0 {
				b.ReportMetric(w.Beside*first/took, "faster")
			}
		})
	}
}
