package querier

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Startup queries a quarter interval apart, then exactly the interval (RFC 9776 8.6, 8.7, 8.2).
func TestTheRhythmIsExact(t *testing.T) {
	require.Equal(t, []float64{0, 31.25, 156.25, 281.25, 406.25}, run(t, start(t), 500))
}

// Leaves make specific queries, other routers are heard, time is moved at odd moments: none of it moves a general query.
func TestNothingDisturbsTheRhythm(t *testing.T) {
	q := start(t)
	var times []float64
	for i := range 4001 {
		now := at(float64(i) / 8) // 31.25 and its like are eighths
		for range q.Advance(now) {
			times = append(times, now.Sub(t0).Seconds())
		}
		if i%4 == 0 {
			frames, err := q.Specific(group, nil, i%8 == 0, time.Second)
			require.NoError(t, err)
			require.Len(t, frames, 1)
			q.HandleQuery(heard(higher, now))
			q.HandleQuery(heard(nobody, now))
			q.HandleQuery(heard(ours, now))
		}
	}
	require.Equal(t, []float64{0, 31.25, 156.25, 281.25, 406.25}, times)
	require.Equal(t, uint64(1001), q.Counters().SpecificQueries)
	require.Equal(t, uint64(5), q.Counters().GeneralQueries)
}

func TestAdvanceIsDueWhenNextSaysAndNotBefore(t *testing.T) {
	q := start(t)
	require.True(t, q.Next().IsZero(), "at once")
	require.Len(t, q.Advance(t0), 1)
	for range 5 {
		next := q.Next()
		require.Empty(t, q.Advance(next.Add(-1)))
		require.Equal(t, next, q.Next())
		require.Len(t, q.Advance(next), 1)
		require.Empty(t, q.Advance(next), "a second time")
	}
}

func TestTheStartCountsFromTheFirstAdvance(t *testing.T) {
	q := start(t)
	require.Len(t, q.Advance(at(1000)), 1)
	require.Equal(t, at(1031.25), q.Next())
}

func TestRobustnessAndIntervalAreConfigured(t *testing.T) {
	q := start(t, func(c *Config) { c.RV, c.QI = 3, 10*time.Second })
	require.Equal(t, []float64{0, 2.5, 5, 15, 25}, run(t, q, 30))
	q = start(t, func(c *Config) { c.RV = 1 })
	require.Equal(t, []float64{0, 125, 250}, run(t, q, 300))
}

// What is late does not make the next one late.
func TestALateAdvanceDoesNotDrift(t *testing.T) {
	q := start(t)
	q.Advance(t0)
	require.Len(t, q.Advance(at(31.35)), 1)
	require.Equal(t, at(156.25), q.Next())
}

func TestAnAdvanceAfterALongSleepSendsOneQuery(t *testing.T) {
	q := start(t)
	q.Advance(t0)
	require.Len(t, q.Advance(at(36000)), 1)
	require.Equal(t, at(36125), q.Next())
	require.Empty(t, q.Advance(at(36000)))
}

func TestTimeDoesNotGoBack(t *testing.T) {
	q := start(t)
	q.Advance(at(100))
	require.Empty(t, q.Advance(t0))
	require.Empty(t, q.Advance(time.Time{}))
	require.Equal(t, at(131.25), q.Next())
	require.NoError(t, q.SetAddrs(addrs("192.0.2.10")))
	q.Advance(t0)
	require.Equal(t, at(131.25), q.Next(), "counted from the latest time")
}

func TestRestartSendsTheQueriesOfTheStartAnew(t *testing.T) {
	q := start(t)
	run(t, q, 200)
	require.True(t, q.Restart())
	require.True(t, q.Next().IsZero())
	require.Len(t, q.Advance(at(200)), 1)
	require.Equal(t, at(231.25), q.Next())
	q.Advance(at(231.25))
	require.Equal(t, at(356.25), q.Next())
}

func TestRestartIsNotForWhoIsNotTheQuerier(t *testing.T) {
	q := start(t)
	q.Advance(t0)
	q.HandleQuery(heard(lower, t0))
	require.False(t, q.Restart())
	require.Equal(t, at(255), q.Next())
	require.Empty(t, q.Advance(at(1)))
}

// Between the start and the end of a day: none too many, none forgotten.
func TestADay(t *testing.T) {
	q := start(t)
	require.Len(t, run(t, q, 86400), 2+(86400-31)/125)
}
