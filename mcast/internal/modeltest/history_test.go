package modeltest

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// The histories of one run are batches x -rapid.checks, which is 100 if nobody
// says otherwise.
const batches = 8

func TestRandomHistoriesAreThoseOfTheModel(t *testing.T) {
	for i := range batches {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, playHistory)
		})
	}
}

func playHistory(t *rapid.T) {
	r := newRig(rapid.Custom(drawSetup).Draw(t, "setup"))
	steps := rapid.SliceOfN(rapid.Custom(drawStep), 1, 30).Draw(t, "steps")
	r.settle()
	for _, s := range steps {
		if r.fault != nil {
			break
		}
		r.play(s)
	}
	if r.fault == nil {
		r.finish()
	}
	if r.fault != nil {
		t.Fatalf("%v\n\n%s", r.fault, r.history())
	}
}
