package exchange

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/cluster/internal/engine"
	"github.com/ofmcast/ofmcast/mcast"
)

// member is a port of this node or another node.
type member struct {
	port int
	node string
}

func (m member) String() string {
	if m.port > 0 {
		return fmt.Sprint("port", m.port)
	}
	return m.node
}

func port(n int) member     { return member{port: n} }
func node(n string) member  { return member{node: n} }
func isLocal(m member) bool { return m.port > 0 }
func group(s string) (g mcast.Group) {
	addr, segment, _ := strings.Cut(s, "@")
	_, _ = fmt.Sscan(segment, &g.Segment)
	g.Addr = netip.MustParseAddr(addr)
	return g
}

// patience is how long anything may take; what has to be quick is measured.
const patience = 20 * time.Second

// until looks, on the test's goroutine, until something is so, and returns how long it took.
func until(t *testing.T, what string, ok func() bool) time.Duration {
	t.Helper()
	began := time.Now()
	for !ok() {
		if time.Since(began) > patience {
			require.Fail(t, "did not come about", what)
		}
		time.Sleep(2 * time.Millisecond)
	}
	return time.Since(began)
}

// peerNode is a node: a cache that runs and an exchange.
type peerNode struct {
	*Exchange[member]
	t     *testing.T
	cache *mcast.Cache[member]
	conn  *nats.Conn
	kill  func() // without a word to anybody

	stopRun func() // as kill, but the connection stays
}

func config(conn *nats.Conn, name string) Config[member] {
	return Config[member]{
		Conn: conn, Node: name, Lease: 3 * time.Second, Local: isLocal,
		Cache:  mcast.New(mcast.Config[member]{Leave: func(member) mcast.LeavePolicy { return mcast.Immediate }}),
		Member: func(n string) (member, bool) { return node(n), n != "stranger" },
		Sink:   mcast.SinkConfig{MinRetry: 100 * time.Millisecond},
	}
}

func startNode(t *testing.T, e *engineProcess, name string, change ...func(*Config[member])) *peerNode {
	t.Helper()
	conn, err := engine.Connect(e.url, name, nats.ReconnectWait(50*time.Millisecond))
	require.NoError(t, err)
	return startNodeOn(t, conn, name, change...)
}

func startNodeOn(t *testing.T, conn *nats.Conn, name string, change ...func(*Config[member])) *peerNode {
	t.Helper()
	cfg := config(conn, name)
	for _, f := range change {
		f(&cfg)
	}
	x, err := New(cfg)
	require.NoError(t, err)
	n := &peerNode{Exchange: x, t: t, cache: cfg.Cache, conn: conn}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 2)
	go func() { ended <- n.cache.Run(ctx) }()
	go func() { ended <- x.Run(ctx) }()
	dead := false
	n.stopRun = func() {
		if dead {
			return
		}
		dead = true
		cancel()
		for range 2 {
			require.NoError(t, <-ended)
		}
	}
	n.kill = func() {
		n.stopRun()
		conn.Close()
	}
	t.Cleanup(n.kill)
	return n
}

func (n *peerNode) apply(r mcast.Report[member]) {
	n.t.Helper()
	require.NoError(n.t, n.cache.Apply(r))
}

func (n *peerNode) join(g string, m member) {
	n.t.Helper()
	n.apply(mcast.Join(group(g), m, time.Now()))
}
func (n *peerNode) leave(g string, m member) {
	n.t.Helper()
	n.apply(mcast.Leave(group(g), m, time.Now()))
}

// knows is all that the node's cache holds, a line a group: "239.1.1.1: b EXCLUDE{}, port1 EXCLUDE{}".
func (n *peerNode) knows() string { return describe(n.cache) }

func describe(c *mcast.Cache[member]) string {
	var lines []string
	for s := range c.Groups() {
		var all []string
		for m, f := range s.All() {
			all = append(all, m.String()+" "+f.String())
		}
		if len(all) > 0 {
			slices.Sort(all)
			lines = append(lines, s.Group().String()+": "+strings.Join(all, ", "))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// learns waits until the node knows exactly that.
func (n *peerNode) learns(lines ...string) time.Duration {
	n.t.Helper()
	want := strings.Join(lines, "\n")
	began := time.Now()
	for n.knows() != want {
		if time.Since(began) > patience {
			require.Equal(n.t, want, n.knows(), "what %s knows", n.cfg.Node)
		}
		time.Sleep(time.Millisecond)
	}
	return time.Since(began)
}

// store is what the engine holds of groups: key to value, deletions left out.
func store(t *testing.T, conn *nats.Conn) map[string]string {
	t.Helper()
	kv := bucketOf(t, conn, "ofmcast")
	w, err := kv.WatchAll(t.Context(), jetstream.IgnoreDeletes())
	require.NoError(t, err)
	defer func() { _ = w.Stop() }()
	got := make(map[string]string)
	for e := range w.Updates() {
		if e == nil {
			break
		}
		got[e.Key()] = string(e.Value())
	}
	return got
}

func bucketOf(t *testing.T, conn *nats.Conn, name string) jetstream.KeyValue {
	t.Helper()
	js, err := jetstream.New(conn)
	require.NoError(t, err)
	kv, err := js.KeyValue(t.Context(), name)
	require.NoError(t, err)
	return kv
}
