package exchange

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/cluster/internal/engine"
	"github.com/ofmcast/ofmcast/mcast"
)

// skewed is a node whose clock is wrong. Its cache is moved by hand, because its Run has the clock of
// package time.
type skewed struct {
	*peerNode
	skew time.Duration
}

func startSkewed(t *testing.T, e *engineProcess, name string, skew time.Duration) *skewed {
	t.Helper()
	conn, err := engine.Connect(e.url, name)
	require.NoError(t, err)
	cfg := config(conn, name)
	cfg.Lease = 1500 * time.Millisecond
	x, err := New(cfg)
	require.NoError(t, err)
	n := &skewed{&peerNode{Exchange: x, t: t, cache: cfg.Cache, conn: conn}, skew}
	x.clock = n.now
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = x.Run(ctx) })
	running.Go(func() {
		for ctx.Err() == nil {
			n.cache.Advance(n.now())
			_ = n.cache.Flush(ctx) // the engine may not be there yet
			time.Sleep(5 * time.Millisecond)
		}
	})
	n.kill = func() { cancel(); running.Wait(); conn.Close() }
	t.Cleanup(n.kill)
	return n
}

func (n *skewed) now() time.Time { return time.Now().Add(n.skew) }

func (n *skewed) join(g string, m member) {
	n.t.Helper()
	n.apply(mcast.Join(group(g), m, n.now()))
}
