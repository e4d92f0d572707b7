package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/ofmcast/ofmcast/examples/cluster/exchange"
	"github.com/ofmcast/ofmcast/examples/cluster/internal/engine"
	"github.com/ofmcast/ofmcast/mcast"
)

// member is who gets packets: a port of this node, or another node. An agent would have a bucket for
// either.
type member struct {
	port int // 1 and up, or 0
	node string
}

func (m member) String() string {
	if m.port > 0 {
		return fmt.Sprint("port ", m.port)
	}
	return m.node
}

// node is what an agent would embed: a cache, and an exchange beside it.
type node struct {
	cache *mcast.Cache[member]
	x     *exchange.Exchange[member]
	conn  *nats.Conn

	stop    context.CancelFunc
	running sync.WaitGroup
	mu      sync.Mutex
	err     error // why the exchange ended
}

// startNode connects a node and lets it run until kill or end.
func startNode(o options, url, name string, log *slog.Logger) (*node, error) {
	conn, err := engine.Connect(url, name)
	if err != nil {
		return nil, err
	}
	n := &node{conn: conn, cache: mcast.New(mcast.Config[member]{})}
	n.x, err = exchange.New(exchange.Config[member]{
		Conn: conn, Cache: n.cache, Node: name, Bucket: o.bucket, Lease: o.lease, Keep: o.keep, Logger: log,
		Member: func(other string) (member, bool) { return member{node: other}, true },
		Local:  func(m member) bool { return m.port > 0 },
	})
	if err != nil {
		conn.Close()
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	n.stop = cancel
	n.running.Go(func() { n.ended(n.cache.Run(ctx)) })
	n.running.Go(func() { n.ended(n.x.Run(ctx)) })
	return n, nil
}

func (n *node) ended(err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.err = errors.Join(n.err, err)
}

// kill ends a node without a word to the others.
func (n *node) kill() error {
	n.stop()
	n.running.Wait()
	n.conn.Close()
	return n.err
}

// leaveTime bounds the farewell: the engine may be away.
const leaveTime = 2 * time.Second

// end ends a node that goes for good.
func (n *node) end() error {
	n.stop()
	n.running.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), leaveTime)
	defer cancel()
	left := n.x.Leave(ctx)
	n.conn.Close()
	return errors.Join(n.err, left)
}
