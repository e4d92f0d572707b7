package exchange

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// link is what there is while the engine is: the two buckets, a watch of each, and a goroutine that
// renews our lease. All of it ends with its context, and that with the connection.
type link struct {
	ctx        context.Context
	cancel     context.CancelFunc
	reconnects uint64 // of the connection when the link was made
	nodes      jetstream.KeyValue
	groups     jetstream.KeyValue
	lease      time.Duration
	keep       time.Duration
	watches    [2]jetstream.KeyWatcher // of nodes, of groups
	caughtUp   bool                    // all leases that were there have come
	running    sync.WaitGroup          // its goroutines
	broken     chan struct{}           // the lease could not be renewed
}

// openTimeout is how long the engine may take to answer all that a new link asks.
const openTimeout = 5 * time.Second

// open finds or makes the buckets, renews our lease and begins to watch.
func (x *Exchange[M]) open(ctx context.Context) (_ *link, err error) {
	l := &link{reconnects: x.cfg.Conn.Stats().Reconnects, broken: make(chan struct{}, 1)}
	l.ctx, l.cancel = context.WithCancel(ctx)
	l.running.Go(func() { l.endWith(x.cfg.Conn) })
	defer time.AfterFunc(openTimeout, l.cancel).Stop()
	defer func() {
		if err != nil {
			l.close()
		}
	}()
	if l.nodes, l.lease, err = x.bucket(l.ctx, jetstream.KeyValueConfig{
		Bucket: x.cfg.Bucket + "_nodes", TTL: x.cfg.Lease, Storage: jetstream.MemoryStorage, MaxValueSize: 64,
	}); err != nil {
		return nil, err
	}
	if l.groups, l.keep, err = x.bucket(l.ctx, jetstream.KeyValueConfig{
		Bucket: x.cfg.Bucket, TTL: x.cfg.Keep, MaxValueSize: int32(maxValue),
	}); err != nil {
		return nil, err
	}
	if l.lease <= 0 {
		return nil, fmt.Errorf("bucket %s_nodes has no time to live", x.cfg.Bucket)
	}
	if _, err = l.nodes.PutString(l.ctx, nodeKey(x.cfg.Node), x.instance); err != nil {
		return nil, err
	}
	for i, kv := range []jetstream.KeyValue{l.nodes, l.groups} {
		if l.watches[i], err = kv.WatchAll(l.ctx); err != nil {
			return nil, err
		}
	}
	l.running.Go(func() { l.renew(nodeKey(x.cfg.Node), x.instance) })
	return l, nil
}

// endWith ends the link with the connection: what was asked through it will not be answered by the next.
func (l *link) endWith(conn *nats.Conn) {
	defer l.cancel()
	lost := conn.StatusChanged(nats.DISCONNECTED, nats.RECONNECTING, nats.CLOSED)
	defer conn.RemoveStatusListener(lost)
	select {
	case <-lost:
	case <-l.ctx.Done():
	}
}

// bucket opens a bucket, makes it if there is none, and says how long it keeps things.
func (x *Exchange[M]) bucket(ctx context.Context, cfg jetstream.KeyValueConfig) (jetstream.KeyValue, time.Duration, error) {
	kv, err := x.js.KeyValue(ctx, cfg.Bucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		kv, err = x.js.CreateKeyValue(ctx, cfg)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("bucket %s: %w", cfg.Bucket, err)
	}
	status, err := kv.Status(ctx)
	if err != nil {
		return nil, 0, fmt.Errorf("bucket %s: %w", cfg.Bucket, err)
	}
	return kv, status.TTL(), nil
}

// renew renews the lease until the link ends. A renewal that failed is tried again at the next tick;
// with the third the link is broken, though the connection says nothing: the bucket may be gone.
func (l *link) renew(key, instance string) {
	tick := l.lease / ticksPerLease
	failures := 0
	for wait := ticksPerBeat * tick; ; {
		select {
		case <-l.ctx.Done():
			return
		case <-time.After(wait):
		}
		ctx, cancel := context.WithTimeout(l.ctx, 2*tick)
		_, err := l.nodes.PutString(ctx, key, instance)
		cancel()
		if err == nil {
			wait, failures = ticksPerBeat*tick, 0
			continue
		}
		if wait, failures = tick, failures+1; failures == 3 {
			l.broken <- struct{}{}
			return
		}
	}
}

// age is how old a lease is taken to be that the engine hands over. One that was there when the link was
// made is renewed within the next beat, or never; it gets a little longer than it takes to find that
// the engine has fallen silent.
func (l *link) age() time.Duration {
	if l.caughtUp {
		return 0
	}
	return l.lease * (ticksSilent - halfTicksOwn/2 - 1) / ticksPerLease
}

// rewrite is how long the link lives: another one writes anew what the engine would let go, and reads
// anew what there is.
func (l *link) rewrite() time.Duration {
	if l.keep <= 0 {
		return time.Hour
	}
	return l.keep / 3
}

// close ends all that belongs to the link and waits for it.
func (l *link) close() {
	l.cancel()
	l.running.Wait()
	for _, w := range l.watches {
		if w != nil {
			drain(w)
		}
	}
}

// drain waits for the end of a watch whose context has ended. Its Stop would wait for an answer of the
// engine, which may not be there; and whoever is about to hand over an update must get rid of it first.
func drain(w jetstream.KeyWatcher) {
	for range w.Updates() {
	}
}

// The channels of a link that is not there never say anything.

func (l *link) failed() <-chan struct{} {
	if l == nil {
		return nil
	}
	return l.broken
}

func (l *link) leases() <-chan jetstream.KeyValueEntry {
	if l == nil {
		return nil
	}
	return l.watches[0].Updates()
}

func (l *link) entries() <-chan jetstream.KeyValueEntry {
	if l == nil {
		return nil
	}
	return l.watches[1].Updates()
}
