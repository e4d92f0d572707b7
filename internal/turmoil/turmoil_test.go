package turmoil

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestASoakLastsAsLongAsItIsTold(t *testing.T) {
	t.Setenv("OFMCAST_SOAK", "")
	require.Equal(t, time.Second, Time(t, time.Second))
	t.Setenv("OFMCAST_SOAK", "2m")
	require.Equal(t, 2*time.Minute, Time(t, time.Second))
}

func TestASeedThatIsGivenIsTaken(t *testing.T) {
	t.Setenv("OFMCAST_SEED", "18446744073709551615")
	require.EqualValues(t, uint64(1<<64-1), Seed(t))
}

// What a failed test printed makes the next run the same.
func TestTheSeedIsPrintedAsItIsGiven(t *testing.T) {
	t.Setenv("OFMCAST_SEED", "")
	var log recorder
	seed := Seed(&log)
	require.Equal(t, []string{fmt.Sprintf("OFMCAST_SEED=%d", seed)}, log.lines)
}

func TestWhatIsNoTimeOrSeedFailsTheTest(t *testing.T) {
	t.Setenv("OFMCAST_SOAK", "60")
	require.Contains(t, fatal(func(t testing.TB) { Time(t, time.Second) }), "OFMCAST_SOAK: ")
	t.Setenv("OFMCAST_SEED", "-1")
	require.Contains(t, fatal(func(t testing.TB) { Seed(t) }), "OFMCAST_SEED: ")
}

// recorder is a test that keeps what is printed.
type recorder struct {
	testing.TB
	lines []string
	fatal string
}

func (*recorder) Helper() {}

func (r *recorder) Logf(format string, args ...any) {
	r.lines = append(r.lines, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.fatal = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// fatal is what a test dies of.
func fatal(test func(testing.TB)) string {
	var r recorder
	var running sync.WaitGroup
	running.Go(func() { test(&r) })
	running.Wait()
	return r.fatal
}
