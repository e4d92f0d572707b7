// Package turmoil is what tests have in common that act by chance for as long as they are told.
package turmoil

import (
	"os"
	"strconv"
	"testing"
	"time"
)

// Time is how long such a test lasts: OFMCAST_SOAK ("60s"), or usual if that is not set.
func Time(t testing.TB, usual time.Duration) time.Duration {
	t.Helper()
	given := os.Getenv("OFMCAST_SOAK")
	if given == "" {
		return usual
	}
	d, err := time.ParseDuration(given)
	if err != nil {
		t.Fatalf("OFMCAST_SOAK: %v", err)
	}
	return d
}

// Seed is where chance starts: OFMCAST_SEED, or another number each time. It is printed if the test fails, so that the
// test can be repeated.
func Seed(t testing.TB) uint64 {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	if given := os.Getenv("OFMCAST_SEED"); given != "" {
		var err error
		if seed, err = strconv.ParseUint(given, 10, 64); err != nil {
			t.Fatalf("OFMCAST_SEED: %v", err)
		}
	}
	t.Logf("OFMCAST_SEED=%d", seed)
	return seed
}
