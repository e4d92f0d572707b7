package querier

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The rhythm, with queries of others in between, for as long as it lasts.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	for name, step := range map[string]func(q *Querier, now time.Time) int{
		"general queries": func(q *Querier, _ time.Time) int { return len(q.Advance(q.Next())) },
		"nothing due":     func(q *Querier, now time.Time) int { return len(q.Advance(now)) },
		"heard higher": func(q *Querier, now time.Time) int {
			q.HandleQuery(heard(higher, now))
			return 0
		},
		"heard lower": func(q *Querier, now time.Time) int {
			q.HandleQuery(heard(lower, now))
			return len(q.Advance(now))
		},
		"group query": func(q *Querier, _ time.Time) int {
			frames, _ := q.Specific(group, nil, false, 0)
			return len(frames)
		},
	} {
		t.Run(name, func(t *testing.T) {
			q := start(t, func(c *Config) { c.OnChange = func(State) {} })
			q.Advance(t0)
			now := t0
			step(q, now)
			require.Zero(t, testing.AllocsPerRun(100, func() {
				now = now.Add(time.Second)
				step(q, now)
			}))
		})
	}
}

var sent int

func BenchmarkAdvance(b *testing.B) {
	q := start(b)
	q.Advance(t0)
	b.ReportAllocs()
	for b.Loop() {
		sent += len(q.Advance(q.Next()))
	}
}

func BenchmarkHandleQuery(b *testing.B) {
	for name, src := range map[string]netip.Addr{"lower": lower, "higher": higher} {
		b.Run(name, func(b *testing.B) {
			q := start(b)
			h := heard(src, t0)
			b.ReportAllocs()
			for b.Loop() {
				q.HandleQuery(h)
			}
		})
	}
}

func BenchmarkSpecific(b *testing.B) {
	q := start(b)
	b.ReportAllocs()
	for b.Loop() {
		frames, _ := q.Specific(group, nil, false, time.Second)
		sent += len(frames)
	}
}
