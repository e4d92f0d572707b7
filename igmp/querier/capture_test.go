package querier

import (
	"testing"
	"time"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/stretchr/testify/require"
)

// A Linux bridge queries, from 0.0.0.0 in the beginning and from 192.0.2.254 later. The first never silences us; the
// second does, if our address is higher, and until RV x 10 s + QRI/2 after its last.
func TestAgainstALinuxBridge(t *testing.T) {
	packets := packets(t, "kernel-v3")
	first := packets[0].Time
	q := start(t, func(c *Config) { c.Addrs = addrs("198.51.100.1") })
	var sent []time.Duration
	var silenced, last time.Time
	proxies := uint64(0)
	for _, p := range packets {
		if len(q.Advance(p.Time)) > 0 {
			sent = append(sent, p.Time.Sub(first))
		}
		v := decode(t, p.Data)
		if v.Type != igmp.TypeQuery {
			continue
		}
		q.HandleQuery(heardFrame(t, p.Data, p.Time))
		switch {
		case v.Group != nobody:
		case v.Src == nobody:
			proxies++
			require.True(t, silenced.IsZero() == q.State().Querier)
		default:
			last = p.Time
			if silenced.IsZero() {
				silenced = p.Time
			}
		}
	}
	require.Equal(t, []time.Duration{0}, sent, "one before the bridge had its address")
	require.Less(t, silenced.Sub(first), 31250*time.Millisecond)
	require.Equal(t, proxies, q.Counters().HeardProxy)
	require.Positive(t, proxies)
	require.Equal(t, addr("192.0.2.254"), q.State().Elected)
	require.Equal(t, 10*time.Second, q.State().Timing.QI)
	require.Equal(t, last.Add(25*time.Second), q.Next())
	require.Len(t, q.Advance(q.Next()), 1)
}

func TestTheLinuxBridgeLosesToALowerAddress(t *testing.T) {
	q := start(t)
	for _, p := range packets(t, "kernel-v3") {
		if v := decode(t, p.Data); v.Type == igmp.TypeQuery {
			q.HandleQuery(heardFrame(t, p.Data, p.Time))
		}
	}
	require.True(t, q.State().Querier)
	require.Zero(t, q.Counters().HeardLower)
	require.Greater(t, q.Counters().HeardHigher, uint64(10))
}
