package querier

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLearntValuesAreBounded(t *testing.T) {
	const s = time.Second
	for name, c := range map[string]struct {
		qrv      uint8
		qqi      time.Duration
		rv       int
		qi       time.Duration
		takeover float64
	}{
		"as told":             {3, 60 * s, 3, 60 * s, 185},
		"the least":           {1, s, 1, s, 6},
		"the most":            {7, 600 * s, 7, 600 * s, 4205},
		"over the most":       {255, 31744 * s, 7, 600 * s, 4205},
		"under the least":     {1, time.Millisecond, 1, s, 6},
		"negative":            {2, -s, 2, 125 * s, 255},
		"nothing told":        {0, 0, 2, 125 * s, 255},
		"only the robustness": {4, 0, 4, 125 * s, 505},
		"only the interval":   {0, 20 * s, 2, 20 * s, 45},
	} {
		t.Run(name, func(t *testing.T) {
			q := start(t)
			h := heard(lower, t0)
			h.QRV, h.QQI = c.qrv, c.qqi
			q.HandleQuery(h)
			got := q.State().Timing
			require.Equal(t, Timing{RV: c.rv, QI: c.qi, QRI: 10 * s, LMQI: s, LMQC: c.rv, NonQuerier: true}, got)
			require.Equal(t, at(c.takeover), q.Next())
			require.Equal(t, at(c.takeover).Sub(t0), got.OtherQuerierPresent())

			require.Len(t, q.Advance(at(c.takeover)), 1)
			require.Equal(t, start(t).State(), q.State(), "our own are back")
			require.Equal(t, at(c.takeover+125), q.Next())
		})
	}
}

// Where all routers were set to an hour, an hour is no absurd value.
func TestAnIntervalUpToOurOwnIsTaken(t *testing.T) {
	q := start(t, func(c *Config) { c.QI = time.Hour })
	h := heard(lower, t0)
	h.QQI = 4 * time.Hour
	q.HandleQuery(h)
	require.Equal(t, time.Hour, q.State().Timing.QI)
}

func TestOur0IsOurOwnConfiguredValue(t *testing.T) {
	q := start(t, func(c *Config) { c.RV, c.QI, c.LMQC = 3, 50*time.Second, 5 })
	h := heard(lower, t0)
	h.QRV, h.QQI = 6, 70*time.Second
	q.HandleQuery(h)
	require.Equal(t, 5, q.State().Timing.LMQC, "is configured, does not follow RV")
	h.QRV, h.QQI = 0, 0
	q.HandleQuery(h)
	require.Equal(t, 3, q.State().Timing.RV)
	require.Equal(t, 50*time.Second, q.State().Timing.QI)
}

// Hosts answer in the querier's time, so a cache must wait for that, within reason.
func TestTheTimeToAnswerIsTheLongerOne(t *testing.T) {
	for _, c := range []struct{ told, want time.Duration }{
		{0, 10 * time.Second}, {5 * time.Second, 10 * time.Second}, {25 * time.Second, 25 * time.Second},
		{3174 * time.Second, 125 * time.Second}, {-1, 10 * time.Second},
	} {
		q := start(t)
		h := heard(lower, t0)
		h.MaxResp = c.told
		q.HandleQuery(h)
		require.Equal(t, c.want, q.State().Timing.QRI, "%v", c.told)
		require.Equal(t, t0.Add(250*time.Second+c.want/2), q.Next())
	}
}

// An agent that sends every query in three versions must not make the values flap.
func TestOlderQueriesTellNothing(t *testing.T) {
	changes := 0
	q := start(t, func(c *Config) { c.OnChange = func(State) { changes++ } })
	for _, version := range []uint8{1, 2, 3, 1, 2, 3, 1, 2} {
		h := heard(lower, t0)
		h.Version, h.QRV, h.QQI = version, 5, 33*time.Second
		q.HandleQuery(h)
	}
	require.Equal(t, 5, q.State().Timing.RV)
	require.Equal(t, 33*time.Second, q.State().Timing.QI)
	require.Equal(t, 2, changes, "the election, and the first values told")
}

func TestAnotherQueriersValuesAreNotInherited(t *testing.T) {
	q := start(t)
	h := heard(addr("192.0.2.5"), t0)
	h.QRV, h.QQI = 5, 33*time.Second
	q.HandleQuery(h)
	h = heard(lower, t0)
	h.Version = 2
	q.HandleQuery(h)
	require.Equal(t, 2, q.State().Timing.RV)
	require.Equal(t, 125*time.Second, q.State().Timing.QI)
}

// It says itself that it will come sooner from now on.
func TestAShorterIntervalShortensTheWait(t *testing.T) {
	q := start(t)
	h := heard(lower, t0)
	h.QQI = 600 * time.Second
	q.HandleQuery(h)
	h.QQI, h.At = 10*time.Second, at(1)
	q.HandleQuery(h)
	require.Equal(t, at(26), q.Next())
}

func TestInVersion1HostsTakeTenSeconds(t *testing.T) {
	for _, versions := range [][]uint8{{1}, {1, 2, 3}} {
		q := start(t, func(c *Config) { c.Versions, c.QI, c.QRI = versions, 60*time.Second, 2*time.Second })
		require.Equal(t, 10*time.Second, q.State().Timing.QRI)
	}
	q := start(t, func(c *Config) { c.QRI = 2 * time.Second })
	require.Equal(t, 2*time.Second, q.State().Timing.QRI)
}
