package exchange

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/mcast"
)

// What the exchange keeps beside the cache, and how long it takes to keep the cache fresh: 500 nodes in 20
// of 1,000 groups, as in the simulation.
func TestAnEntryIsSmallAndRefreshedQuickly(t *testing.T) {
	cfg := config(&nats.Conn{}, "a")
	require.NoError(t, cfg.setDefaults())
	ps, now := newPeers(&cfg), time.Now()
	before := heap()
	fill := func() {
		for n := range 500 {
			for i := range 20 {
				g := group(fmt.Sprintf("239.1.%d.%d", (n*20+i)%1000/100, (n*20+i)%100))
				require.True(t, ps.set(fmt.Sprint("172.31.100.", n), g, want{kind: mcast.ChangeToExclude}, now))
			}
		}
	}
	fill()
	each := float64(heap()-before) / float64(ps.entries)
	for name := range ps.all {
		require.True(t, ps.heard(name, now, 0))
	}
	began := time.Now()
	ps.refresh(now)
	t.Logf("%.0f bytes an entry, %v to refresh one", each, time.Since(began)/time.Duration(ps.entries))
	require.Less(t, each, 300.0)
	require.Equal(t, 10000, cfg.Cache.Statistics().Memberships)
	// None an entry; the connections of other tests, on their way out, may allocate meanwhile.
	require.Less(t, testing.AllocsPerRun(1, func() { ps.refresh(now) }), float64(ps.entries)/50)
	runtime.KeepAlive(ps)
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
