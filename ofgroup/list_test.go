package ofgroup_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	. "github.com/ofmcast/ofmcast/ofgroup"
)

// Whatever groups are made of one another, each holds what a slice of its own would hold.
func TestGroupsMadeOfOneAnotherAgreeWithSlices(t *testing.T) {
	type pair struct {
		group Group
		model []Bucket
	}
	rapid.Check(t, func(t *rapid.T) {
		pairs := []pair{{New(1, All), nil}}
		next := Port(0)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			from := pairs[rapid.IntRange(0, len(pairs)-1).Draw(t, "from")]
			var more []Bucket
			for range rapid.IntRange(0, 40).Draw(t, "more") {
				next++
				more = append(more, NewBucket(Output(next)))
			}
			if rapid.IntRange(0, 9).Draw(t, "replace") == 0 {
				pairs = append(pairs, pair{from.group.WithBuckets(more...), more})
				continue
			}
			pairs = append(pairs, pair{from.group.AddBuckets(more...), append(slices.Clone(from.model), more...)})
		}
		for _, p := range pairs {
			if got := slices.Collect(p.group.Buckets()); !slices.Equal(got, p.model) || p.group.Len() != len(p.model) {
				t.Fatalf("%d buckets where there should be %d", len(got), len(p.model))
			}
			for i, want := range p.model {
				if p.group.Bucket(i) != want {
					t.Fatalf("bucket %d is %v, not %v", i, p.group.Bucket(i), want)
				}
			}
		}
	})
}
