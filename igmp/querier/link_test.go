package querier

import (
	"net/netip"
	"testing"
	"time"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// link is a wire with some Queriers on it that hear one another's frames, their own too.
type link struct {
	tb   testing.TB
	now  time.Time
	on   []*Querier
	sent map[netip.Addr][]float64
}

// run lets time pass until the end.
func (l *link) run(end time.Time) {
	for {
		first := l.first()
		if first == nil || later(l.now, first.Next()).After(end) {
			l.now = end
			return
		}
		l.now = later(l.now, first.Next())
		for _, frame := range first.Advance(l.now) {
			h := heardFrame(l.tb, frame, l.now)
			l.sent[h.Src] = append(l.sent[h.Src], l.now.Sub(t0).Seconds())
			for _, q := range l.on {
				q.HandleQuery(h)
			}
		}
	}
}

// first is who has something to do next.
func (l *link) first() (first *Querier) {
	for _, q := range l.on {
		if first == nil || q.Next().Before(first.Next()) {
			first = q
		}
	}
	return first
}

// queriers are those who think they are.
func (l *link) queriers() (list []netip.Addr) {
	for _, q := range l.on {
		if s := q.State(); s.Querier {
			list = append(list, s.Elected)
		}
	}
	return list
}

// Routers come and go. When nothing has changed for long enough, the lowest one queries, everybody knows it, and an
// interval has exactly one query.
func TestALinkHasOneQuerier(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		l := &link{tb: t, now: t0, sent: map[netip.Addr][]float64{}}
		lasts := rapid.Permutation([]int{1, 2, 3, 4, 5, 6, 7, 8}).Draw(rt, "order")
		for i, last := range lasts {
			qi := time.Duration(rapid.IntRange(20, 200).Draw(rt, "QI")) * time.Second
			l.on = append(l.on, start(t, func(c *Config) { c.Addrs, c.QI = []netip.Addr{router(last)}, qi }))
			if i > 1 && rapid.Bool().Draw(rt, "one dies") {
				l.on = l.on[1:]
			}
			l.run(l.now.Add(time.Duration(rapid.IntRange(0, 300).Draw(rt, "seconds")) * time.Second))
		}
		l.run(l.now.Add(time.Hour))
		checkSettled(rt, l)
	})
}

func checkSettled(rt *rapid.T, l *link) {
	lowest := l.on[0]
	for _, q := range l.on {
		if q.addrs[0].Less(lowest.addrs[0]) {
			lowest = q
		}
	}
	require.Equal(rt, []netip.Addr{lowest.addrs[0]}, l.queriers())
	told, err := igmp.QQICode(lowest.cfg.QI)
	require.NoError(rt, err)
	for _, q := range l.on {
		require.Equal(rt, lowest.addrs[0], q.State().Elected)
		if q != lowest {
			require.Equal(rt, told.QQI(), q.State().Timing.QI)
		}
	}
	clear(l.sent)
	l.run(l.now.Add(100 * lowest.cfg.QI))
	require.Len(rt, l.sent, 1)
	require.Len(rt, l.sent[lowest.addrs[0]], 100)
}

// The querier dies. The others have waited equally long, so all act at the same time; a moment later one is left.
func TestTheQuerierDies(t *testing.T) {
	l := &link{tb: t, now: t0, sent: map[netip.Addr][]float64{}}
	for _, last := range []int{1, 3, 2} {
		l.on = append(l.on, start(t, func(c *Config) { c.Addrs = []netip.Addr{router(last)} }))
	}
	l.run(at(200))
	require.Equal(t, []float64{0, 31.25, 156.25}, l.sent[router(1)])
	l.on = l.on[1:]
	l.run(at(700))
	require.Equal(t, []float64{411.25, 536.25, 661.25}, l.sent[router(2)])
	require.Equal(t, []float64{411.25}, l.sent[router(3)], "before it heard the better one")
	require.Equal(t, []netip.Addr{router(2)}, l.queriers())
}
