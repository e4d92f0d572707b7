package querier

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// model is the querier of RFC 9776 6.6.2 as one would write it down on paper, in seconds after the start, with our
// default values and those of one other robustness and interval for each address.
type model struct {
	now     float64
	own     int             // last byte of our address
	said    map[int]float64 // who of the lower ones was heard, and when
	elected int             // 0 = us
	due     float64
	starts  int
}

// values are those that the router with this last byte always tells.
func values(last int) (qrv uint8, qqi time.Duration) {
	return uint8(1 + last%3), time.Duration(20+10*last) * time.Second
}

// present is how long a query counts under the values of the router with this last byte.
func present(last int) float64 {
	qrv, qqi := values(last)
	return float64(qrv)*qqi.Seconds() + 5
}

func (m *model) hear(last int) {
	if last >= m.own {
		return
	}
	if m.elected == 0 || last <= m.elected || m.said[m.elected]+present(m.elected) <= m.now {
		m.elected, m.said = last, map[int]float64{}
	}
	m.said[last] = m.now
}

// takeover is when nobody is left, by the values of the elected one.
func (m *model) takeover() float64 {
	latest := 0.0
	for _, at := range m.said {
		latest = max(latest, at)
	}
	return latest + present(m.elected)
}

// advance says whether a general query goes out.
func (m *model) advance() bool {
	if m.elected != 0 {
		if m.now < m.takeover() {
			return false
		}
		m.due, m.elected, m.starts = m.takeover(), 0, 0
	}
	if m.now < m.due {
		return false
	}
	m.starts--
	interval := 125.0
	if m.starts > 0 {
		interval = 31.25
	}
	if m.due += interval; m.due <= m.now {
		m.due = m.now + interval
	}
	return true
}

func (m *model) move(last int) {
	if last != m.own {
		m.own, m.elected, m.due, m.starts = last, 0, m.now, 2
	}
}

func (m *model) next() float64 {
	if m.elected != 0 {
		return m.takeover()
	}
	return m.due
}

func router(last int) netip.Addr { return netip.AddrFrom4([4]byte{192, 0, 2, byte(last)}) }

// Any order of queries from seven routers, of changes of our address and of passing time gives the queries, the elected
// router and the due times of the model.
func TestAgreesWithAModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := &model{own: 4, starts: 2}
		q := start(t, func(c *Config) { c.Addrs = []netip.Addr{router(4)} })
		require.Equal(rt, m.advance(), len(q.Advance(t0)) == 1)
		for range rapid.IntRange(1, 80).Draw(rt, "steps") {
			step(rt, q, m)
			require.Equal(rt, m.advance(), len(q.Advance(at(m.now))) == 1)
			elected := m.elected
			if elected == 0 {
				elected = m.own
			}
			require.Equal(rt, router(elected), q.State().Elected)
			require.Equal(rt, m.elected == 0, q.State().Querier)
			require.Equal(rt, at(m.next()), q.Next())
		}
	})
}

func step(rt *rapid.T, q *Querier, m *model) {
	switch rapid.SampledFrom([]string{"hear", "hear", "wait", "wait", "until due", "move"}).Draw(rt, "what") {
	case "hear":
		last := rapid.IntRange(1, 7).Draw(rt, "router")
		h := heard(router(last), at(m.now))
		h.QRV, h.QQI = values(last)
		q.HandleQuery(h)
		m.hear(last)
	case "wait":
		m.now += float64(rapid.IntRange(0, 1200).Draw(rt, "quarters")) / 4
	case "until due":
		m.now = m.next()
	case "move":
		last := rapid.IntRange(1, 7).Draw(rt, "address")
		require.NoError(rt, q.SetAddrs([]netip.Addr{router(last)}))
		m.move(last)
	}
}
