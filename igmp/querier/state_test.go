package querier

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// cacheTiming has the fields of a membership cache's timing; that package cannot be imported here.
type cacheTiming struct {
	RV         int
	QI         time.Duration
	QRI        time.Duration
	LMQI       time.Duration
	LMQC       int
	NonQuerier bool
}

func TestTimingConvertsToACaches(t *testing.T) {
	got := cacheTiming(start(t).State().Timing)
	require.Equal(t, cacheTiming{2, 125 * time.Second, 10 * time.Second, time.Second, 2, false}, got)
}

func TestOnChangeTellsEveryChangeOnce(t *testing.T) {
	var told []State
	q := start(t, func(c *Config) { c.OnChange = func(s State) { told = append(told, s) } })
	initial := q.State()
	require.Equal(t, State{Querier: true, Elected: ours, Timing: initial.Timing}, initial)

	run(t, q, 300)
	q.HandleQuery(heard(higher, at(300)))
	require.Empty(t, told, "nothing has changed")

	q.HandleQuery(heard(lower, at(310)))
	q.HandleQuery(heard(lower, at(320)))
	lost := State{Elected: lower, Timing: initial.Timing}
	lost.Timing.NonQuerier = true
	require.Equal(t, []State{lost}, told)

	h := heard(lower, at(330))
	h.QQI = 60 * time.Second
	q.HandleQuery(h)
	learnt := lost
	learnt.Timing.QI = 60 * time.Second
	require.Equal(t, []State{lost, learnt}, told)

	run(t, q, 600)
	require.Equal(t, []State{lost, learnt, initial}, told)

	require.NoError(t, q.SetAddrs(addrs("192.0.2.5")))
	moved := initial
	moved.Elected = addr("192.0.2.5")
	require.Equal(t, []State{lost, learnt, initial, moved}, told)
	require.Equal(t, moved, q.State())
}

// A cache must know that it asks for itself again before it is asked about what the query brings.
func TestTheTakeoverIsToldBeforeItsFramesAreOut(t *testing.T) {
	var q *Querier
	told := false
	q = start(t, func(c *Config) {
		c.OnChange = func(s State) {
			told = true
			require.Equal(t, s, q.State())
		}
	})
	q.HandleQuery(heard(lower, t0))
	require.True(t, told)
	told = false
	require.Len(t, q.Advance(at(255)), 1)
	require.True(t, told)
}
