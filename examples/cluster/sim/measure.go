package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/ofmcast/ofmcast/examples/cluster/internal/engine"
	"github.com/ofmcast/ofmcast/mcast"
)

// measure finds what messages cost, with a real engine and connections that count.
func measure(ctx context.Context) (c costs, err error) {
	dir, err := os.MkdirTemp("", "sim")
	if err != nil {
		return c, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	e, err := engine.Start(dir)
	if err != nil {
		return c, err
	}
	defer e.Stop()
	const node = "172/31/100/200"
	if c.Write, c.Ack, c.Deliver, err = updates(ctx, e, "ofmcast", "EXCLUDE", func(i int) string {
		return fmt.Sprintf("%s.100.239/101/1%02d/1%02d", node, i/100, i%100)
	}); err != nil {
		return c, err
	}
	c.RenewWrite, c.RenewAck, c.RenewDeliver, err = updates(ctx, e, "ofmcast_nodes", "0123456789012345678901",
		func(int) string { return node })
	c.CacheEntry, c.MirrorEntry = cacheEntry(), measured.MirrorEntry
	return c, err
}

// fanOut is how many updates a second an engine delivers to 20 watchers, all in this process: the engine
// alone, with its watchers elsewhere, does better.
func fanOut(ctx context.Context) (float64, error) {
	dir, err := os.MkdirTemp("", "sim")
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	e, err := engine.Start(dir)
	if err != nil {
		return 0, err
	}
	defer e.Stop()
	conn, err := engine.Connect(e.URL(), "all")
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	kv, err := open(ctx, conn, "ofmcast")
	if err != nil {
		return 0, err
	}
	const watchers, updates = 20, 5000
	var all sync.WaitGroup
	for range watchers {
		own, err := engine.Connect(e.URL(), "watcher")
		if err != nil {
			return 0, err
		}
		defer own.Close()
		get, err := open(ctx, own, "ofmcast")
		if err != nil {
			return 0, err
		}
		w, err := get.WatchAll(ctx)
		if err != nil {
			return 0, err
		}
		all.Go(func() {
			for range updates + 1 { // and the nil that says that nothing was there
				<-w.Updates()
			}
		})
	}
	began := time.Now()
	for i := range updates {
		if err := conn.Publish(fmt.Sprintf("$KV.%s.172/31/100/200.0.239/1/%d/%d", kv.Bucket(), i/100, i%100), []byte("EXCLUDE")); err != nil {
			return 0, err
		}
	}
	all.Wait()
	return watchers * updates / time.Since(began).Seconds(), nil
}

// updates writes to a bucket that is watched, and says what each write, answer and delivery took.
func updates(ctx context.Context, e *engine.Engine, bucket, value string, key func(int) string) (write, ack, deliver float64, err error) {
	var writer, watcher counter
	from, err := engine.Connect(e.URL(), "writer", nats.SetCustomDialer(&writer))
	if err != nil {
		return 0, 0, 0, err
	}
	defer from.Close()
	to, err := engine.Connect(e.URL(), "watcher", nats.SetCustomDialer(&watcher))
	if err != nil {
		return 0, 0, 0, err
	}
	defer to.Close()
	put, err := open(ctx, from, bucket)
	if err != nil {
		return 0, 0, 0, err
	}
	get, err := open(ctx, to, bucket)
	if err != nil {
		return 0, 0, 0, err
	}
	w, err := get.WatchAll(ctx)
	if err != nil {
		return 0, 0, 0, err
	}
	<-w.Updates() // nothing was there
	const count = 1000
	sent, answered, got := writer.written.Load(), writer.read.Load(), watcher.read.Load()
	for i := range count {
		if _, err := put.PutString(ctx, key(i), value); err != nil {
			return 0, 0, 0, err
		}
		<-w.Updates()
	}
	each := func(n *atomic.Int64, before int64) float64 { return float64(n.Load()-before)/count + tcpHeaders }
	return each(&writer.written, sent), each(&writer.read, answered), each(&watcher.read, got), nil
}

func open(ctx context.Context, conn *nats.Conn, bucket string) (jetstream.KeyValue, error) {
	js, err := jetstream.New(conn)
	if err != nil {
		return nil, err
	}
	return js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: bucket, TTL: time.Hour})
}

// counter dials connections that count their bytes.
type counter struct{ read, written atomic.Int64 }

func (c *counter) Dial(network, address string) (net.Conn, error) {
	conn, err := net.Dial(network, address)
	return counted{conn, c}, err
}

type counted struct {
	net.Conn
	c *counter
}

func (c counted) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.c.read.Add(int64(n))
	return n, err
}

func (c counted) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.c.written.Add(int64(n))
	return n, err
}

// cacheEntry is what a membership of a remote node takes in the cache: 500 nodes in 20 of 1,000 groups.
func cacheEntry() float64 {
	before := heap()
	cache := mcast.New(mcast.Config[string]{})
	at := time.Unix(1, 0)
	for n := range 500 {
		name := fmt.Sprint("172.31.100.", n)
		for i := range 20 {
			r := mcast.Join(mcast.Group{Addr: groupAddr((n*20 + i) % 1000)}, name, at)
			r.Owner = mcast.Owner{Kind: mcast.Remote, ID: name}
			_ = cache.Apply(r)
		}
	}
	used := heap() - before
	runtime.KeepAlive(cache)
	return float64(used) / (500 * 20)
}

// heap is what is in use.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
