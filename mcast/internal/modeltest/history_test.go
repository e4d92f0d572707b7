package modeltest

import (
	"flag"
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// The histories of one run are batches x -rapid.checks, which is 100 if nobody
// says otherwise.
const batches = 8

// Everybody who runs the tests plays the same histories, and others by -rapid.seed.
func TestRandomHistoriesAreThoseOfTheModel(t *testing.T) {
	seed := flag.Lookup("rapid.seed").Value
	if seed.String() != "0" {
		rapid.Check(t, playHistory)
		return
	}
	defer func() { _ = seed.Set("0") }()
	for i := range batches {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			if err := seed.Set(fmt.Sprint(i + 1)); err != nil {
				t.Fatal(err)
			}
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
