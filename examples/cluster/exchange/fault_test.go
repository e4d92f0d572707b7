package exchange

import (
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"
)

// Whether the engine comes back with what it had stored or with nothing: no node forgets anything
// meanwhile, for more than a lease, and what changed meanwhile is known soon after.
func TestNothingIsLostWhileTheEngineIsAway(t *testing.T) {
	for name, wipe := range map[string]bool{"it keeps its store": false, "it loses its store": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := startEngine(t)
			short := func(c *Config[member]) { c.Lease = 1500 * time.Millisecond }
			a, b := startNode(t, e, "a", short), startNode(t, e, "b", short)
			a.join("239.1.1.1", port(1))
			a.join("239.1.1.2", port(1))
			b.join("239.1.1.1", port(5))
			b.learns("239.1.1.1: a EXCLUDE{}, port5 EXCLUDE{}", "239.1.1.2: a EXCLUDE{}")

			watch := b.cache.Watch(100)
			defer watch.Close()
			e.kill()
			if wipe {
				e.wipe()
			}
			until(t, "b notices", func() bool { return !b.Statistics().Connected })
			a.leave("239.1.1.2", port(1))
			a.join("239.1.1.3", port(1))
			b.join("239.1.1.4", port(5)) // a local membership asks nobody
			b.learns("239.1.1.1: a EXCLUDE{}, port5 EXCLUDE{}", "239.1.1.2: a EXCLUDE{}", "239.1.1.4: port5 EXCLUDE{}")
			time.Sleep(2 * b.cfg.Lease)
			require.Equal(t, "239.1.1.1: a EXCLUDE{}, port5 EXCLUDE{}\n239.1.1.2: a EXCLUDE{}\n239.1.1.4: port5 EXCLUDE{}", b.knows())

			e.restart()
			b.learns("239.1.1.1: a EXCLUDE{}, port5 EXCLUDE{}", "239.1.1.3: a EXCLUDE{}", "239.1.1.4: port5 EXCLUDE{}")
			a.learns("239.1.1.1: b EXCLUDE{}, port1 EXCLUDE{}", "239.1.1.3: port1 EXCLUDE{}", "239.1.1.4: b EXCLUDE{}")
			time.Sleep(b.cfg.Lease + b.cfg.Lease/2) // nobody is taken for dead, nothing for gone, afterwards either
			require.Equal(t, "239.1.1.1: a EXCLUDE{}, port5 EXCLUDE{}\n239.1.1.3: a EXCLUDE{}\n239.1.1.4: port5 EXCLUDE{}", b.knows())

			said := []string{}
			for ev, more := watch.TryNext(); more; ev, more = watch.TryNext() {
				said = append(said, ev.String())
			}
			require.Len(t, said, 3, "b was told more than what happened: %v", said)
		})
	}
}

// The connection looks well, but nothing comes through it.
func TestAnEngineThatFallsSilentIsAwayToo(t *testing.T) {
	t.Parallel()
	e := startEngine(t)
	short := func(c *Config[member]) { c.Lease = 1500 * time.Millisecond }
	conn, hang := hangingConn(t, e, "a")
	a := startNodeOn(t, conn, "a", short)
	b := startNode(t, e, "b", short)
	b.join("239.1.1.1", port(1))
	a.learns("239.1.1.1: b EXCLUDE{}")
	hang(true)
	time.Sleep(4 * a.cfg.Lease) // longer than the cache believes what nobody keeps fresh
	require.Equal(t, "239.1.1.1: b EXCLUDE{}", a.knows())
	b.learns("239.1.1.1: port1 EXCLUDE{}") // while for b it is a that is silent
	hang(false)
	b.join("239.1.1.2", port(1))
	a.learns("239.1.1.1: b EXCLUDE{}", "239.1.1.2: b EXCLUDE{}")
}

func TestADeadNodeIsForgottenWithinTheLeaseAndBackSoon(t *testing.T) {
	t.Parallel()
	e := startEngine(t)
	a, b := startNode(t, e, "a"), startNode(t, e, "b")
	b.join("239.1.1.1", port(1))
	b.join("239.1.1.2", port(1))
	a.learns("239.1.1.1: b EXCLUDE{}", "239.1.1.2: b EXCLUDE{}")
	b.kill()
	took := a.learns()
	t.Logf("forgotten after %v of a lease of %v", took, a.cfg.Lease)
	require.Less(t, took, a.cfg.Lease+500*time.Millisecond)
	require.Len(t, store(t, a.conn), 2, "the engine still has what it wrote")

	// Who comes now never believes what a dead node has left behind, though its lease may have a moment left.
	c := startNode(t, e, "c")
	watch := c.cache.Watch(10)
	defer watch.Close()
	c.join("239.1.1.9", port(1))
	a.learns("239.1.1.9: c EXCLUDE{}")
	until(t, "c has read all", func() bool { return c.Statistics().Received >= 3 })
	require.Equal(t, "239.1.1.9: port1 EXCLUDE{}", c.knows())
	ev, ok := watch.TryNext()
	require.True(t, ok)
	require.Equal(t, "239.1.1.9", ev.Group.String())
	ev, more := watch.TryNext()
	require.False(t, more, "c was told %v", ev)

	began := time.Now()
	b = startNode(t, e, "b")
	b.join("239.1.1.1", port(1))
	b.join("239.1.1.3", port(1))
	a.learns("239.1.1.1: b EXCLUDE{}", "239.1.1.3: b EXCLUDE{}", "239.1.1.9: c EXCLUDE{}")
	t.Logf("back after %v", time.Since(began))
	require.Less(t, time.Since(began), 2*time.Second)
}

// A restart within the lease takes nothing away, until the time of pruning.
func TestARestartLosesNothing(t *testing.T) {
	t.Parallel()
	e := startEngine(t)
	a, b := startNode(t, e, "a"), startNode(t, e, "b")
	b.join("239.1.1.1", port(1))
	b.join("239.1.1.2", port(1))
	a.learns("239.1.1.1: b EXCLUDE{}", "239.1.1.2: b EXCLUDE{}")
	watch := a.cache.Watch(10)
	defer watch.Close()
	b.kill()
	b = startNode(t, e, "b", func(c *Config[member]) { c.Sink.PruneDelay = time.Second })
	b.join("239.1.1.2", port(1))
	until(t, "b is there", func() bool { return b.Statistics().Connected && b.Statistics().Published == 1 })
	require.Equal(t, "239.1.1.1: b EXCLUDE{}\n239.1.1.2: b EXCLUDE{}", a.knows())
	a.learns("239.1.1.2: b EXCLUDE{}")
	ev, ok := watch.TryNext()
	require.True(t, ok)
	require.Equal(t, "239.1.1.1", ev.Group.String())
	_, more := watch.TryNext()
	require.False(t, more)
}

func TestWhoLeavesForGoodIsForgottenAtOnce(t *testing.T) {
	t.Parallel()
	e := startEngine(t)
	a, b := startNode(t, e, "a"), startNode(t, e, "b")
	a.join("239.1.1.3", port(1))
	b.join("239.1.1.1", port(1))
	b.join("239.1.1.2", port(1))
	a.learns("239.1.1.1: b EXCLUDE{}", "239.1.1.2: b EXCLUDE{}", "239.1.1.3: port1 EXCLUDE{}")
	b.stopRun()
	require.NoError(t, b.Leave(t.Context()))
	require.Less(t, a.learns("239.1.1.3: port1 EXCLUDE{}"), time.Second)
	require.Equal(t, map[string]string{"a.0.239/1/1/3": "EXCLUDE"}, store(t, a.conn), "nothing of b's is left")
	b.conn.Close()
	require.ErrorIs(t, b.Leave(t.Context()), ErrAway)
}

// The engine lets go what a dead node has written, and the others forget that it ever was.
func TestTheEngineForgetsADeadNodeAndKeepsALivingOne(t *testing.T) {
	t.Parallel()
	e := startEngine(t)
	brief := func(c *Config[member]) { c.Lease, c.Keep = time.Second, 3*time.Second }
	a, b := startNode(t, e, "a", brief), startNode(t, e, "b", brief)
	a.join("239.1.1.1", port(1))
	b.join("239.1.1.2", port(1))
	a.learns("239.1.1.1: port1 EXCLUDE{}", "239.1.1.2: b EXCLUDE{}")
	b.kill()
	until(t, "the key of b goes", func() bool { return len(store(t, a.conn)) == 1 })
	until(t, "a forgets b", func() bool { return a.Statistics().Nodes == 0 })
	time.Sleep(a.cfg.Keep)
	require.Equal(t, map[string]string{"a.0.239/1/1/1": "EXCLUDE"}, store(t, a.conn))
}

// Somebody deletes the buckets under living nodes.
func TestBucketsThatAreGoneAreMadeAgain(t *testing.T) {
	t.Parallel()
	e := startEngine(t)
	short := func(c *Config[member]) { c.Lease = time.Second }
	a, b := startNode(t, e, "a", short), startNode(t, e, "b", short)
	b.join("239.1.1.1", port(1))
	a.learns("239.1.1.1: b EXCLUDE{}")
	require.NoError(t, a.js.DeleteKeyValue(t.Context(), "ofmcast"))
	require.NoError(t, a.js.DeleteKeyValue(t.Context(), "ofmcast_nodes"))
	b.join("239.1.1.2", port(1))
	a.learns("239.1.1.1: b EXCLUDE{}", "239.1.1.2: b EXCLUDE{}")
}

// Whoever finds first that the bucket of groups is gone makes another, and the rest find that it is another.
func TestTheBucketOfGroupsAloneIsMadeAgainWithinTheLease(t *testing.T) {
	t.Parallel()
	e := startEngine(t)
	a, b := startNode(t, e, "a"), startNode(t, e, "b")
	for n := range 10 {
		a.join(fmt.Sprint("239.1.2.", n), port(1))
	}
	b.join("239.1.1.2", port(1))
	until(t, "both have heard all", func() bool { return a.Statistics().Entries == 1 && b.Statistics().Entries == 10 })
	watch := a.cache.Watch(10)
	defer watch.Close()
	js, err := jetstream.New(a.conn)
	require.NoError(t, err)
	require.NoError(t, js.DeleteKeyValue(t.Context(), "ofmcast"))
	a.join("239.1.1.3", port(1))
	began := time.Now()
	until(t, "b has heard it", func() bool { return b.Statistics().Entries == 11 })
	t.Logf("known after %v, with a lease of %v", time.Since(began), a.cfg.Lease)
	require.Less(t, time.Since(began), a.cfg.Lease+2*relinkAfter+time.Second)
	until(t, "all is written anew", func() bool { return len(store(t, a.conn)) == 12 })
	ev, ok := watch.TryNext()
	require.True(t, ok)
	require.Equal(t, "239.1.1.3", ev.Group.String())
	ev, more := watch.TryNext()
	require.False(t, more, "a was told %v", ev)
}

func TestTwoNodesOfOneNameAreFound(t *testing.T) {
	t.Parallel()
	e := startEngine(t)
	short := func(c *Config[member]) { c.Lease = time.Second }
	a := startNode(t, e, "a", short)
	until(t, "a is there", func() bool { return a.Statistics().Connected })
	again := startNode(t, e, "a", short)
	until(t, "both notice", func() bool { return a.Statistics().Conflicts > 0 && again.Statistics().Conflicts > 0 })
}

func TestAClosedConnectionEndsRun(t *testing.T) {
	t.Parallel()
	e := startEngine(t)
	cfg := config(nil, "a")
	n := startNode(t, e, "other")
	cfg.Conn = n.conn
	x, err := New(cfg)
	require.NoError(t, err)
	ended := make(chan error, 1)
	go func() { ended <- x.Run(t.Context()) }()
	n.kill()
	require.ErrorIs(t, <-ended, ErrClosed)
	require.NoError(t, cfg.Cache.Flush(t.Context()), "its sink was taken out")
}
