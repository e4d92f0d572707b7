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

// link is what there is while the engine is: the bucket of groups, and a watch of both. All of it ends
// with its context.
type link struct {
	ctx        context.Context
	cancel     context.CancelFunc
	reconnects uint64 // of the connection when the link was made
	groups     jetstream.KeyValue
	watches    [2]jetstream.KeyWatcher // of leases, of groups
	lease      time.Duration
	keep       time.Duration
	began      time.Time      // by the engine's clock
	ending     sync.WaitGroup // endWith
}

// openTimeout is how long the engine may take to answer all that a new link asks. It is no longer than
// two leases: meanwhile nobody keeps the cache fresh, which forgets all after three.
const openTimeout = 5 * time.Second

// open finds or makes the buckets, renews our lease and begins to watch.
func (x *Exchange[M]) open(ctx context.Context) (_ *link, err error) {
	l := &link{reconnects: x.cfg.Conn.Stats().Reconnects}
	l.ctx, l.cancel = context.WithCancel(ctx)
	l.ending.Go(func() { l.endWith(x.cfg.Conn) })
	defer time.AfterFunc(min(openTimeout, 2*x.peers.lease), l.cancel).Stop()
	defer func() {
		if err != nil {
			l.close()
		}
	}()
	nodes, status, err := x.bucket(l.ctx, jetstream.KeyValueConfig{
		Bucket: x.cfg.Bucket + "_nodes", TTL: x.cfg.Lease, Storage: jetstream.MemoryStorage, MaxValueSize: 64,
	})
	if err != nil {
		return nil, err
	}
	if l.lease = status.TTL(); l.lease <= 0 {
		return nil, fmt.Errorf("bucket %s_nodes has no time to live", x.cfg.Bucket)
	}
	if s, ok := status.(*jetstream.KeyValueBucketStatus); ok {
		l.began = s.StreamInfo().TimeStamp
	}
	if _, err = nodes.PutString(l.ctx, nodeKey(x.cfg.Node), x.instance); err != nil {
		return nil, err
	}
	l.groups, status, err = x.bucket(l.ctx, jetstream.KeyValueConfig{
		Bucket: x.cfg.Bucket, TTL: x.cfg.Keep, MaxValueSize: int32(maxValue),
	})
	if err != nil {
		return nil, err
	}
	l.keep = status.TTL()
	l.ending.Go(func() { l.guard(made(status)) })
	for i, kv := range []jetstream.KeyValue{nodes, l.groups} {
		if l.watches[i], err = kv.WatchAll(l.ctx); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// endWith ends the link with the connection, also while it is being opened: what was asked through it will
// not be answered by the next.
func (l *link) endWith(conn *nats.Conn) {
	defer l.cancel()
	lost := conn.StatusChanged(nats.DISCONNECTED, nats.RECONNECTING, nats.CLOSED)
	defer conn.RemoveStatusListener(lost)
	select {
	case <-lost:
	case <-l.ctx.Done():
	}
}

// guard ends the link when the bucket of groups was deleted, whether or not somebody has made another: the
// watch of it would go on, and wait for what comes behind the last that it has seen. Of the bucket of leases
// our own tells.
func (l *link) guard(was time.Time) {
	tick := time.NewTicker(l.lease)
	defer tick.Stop()
	for {
		select {
		case <-l.ctx.Done():
			return
		case <-tick.C:
		}
		status, err := l.groups.Status(l.ctx)
		if errors.Is(err, jetstream.ErrStreamNotFound) || err == nil && !made(status).Equal(was) {
			l.cancel()
		}
	}
}

// made is when a bucket was made.
func made(status jetstream.KeyValueStatus) time.Time {
	if s, ok := status.(*jetstream.KeyValueBucketStatus); ok {
		return s.StreamInfo().Created
	}
	return time.Time{}
}

// bucket opens a bucket, and makes it if there is none.
func (x *Exchange[M]) bucket(ctx context.Context, cfg jetstream.KeyValueConfig) (jetstream.KeyValue, jetstream.KeyValueStatus, error) {
	kv, err := x.js.KeyValue(ctx, cfg.Bucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		kv, err = x.js.CreateKeyValue(ctx, cfg)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("bucket %s: %w", cfg.Bucket, err)
	}
	status, err := kv.Status(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("bucket %s: %w", cfg.Bucket, err)
	}
	return kv, status, nil
}

// isOf says that the link is there and of this connection, as it is now.
func (l *link) isOf(conn *nats.Conn) bool {
	return l != nil && conn.Status() == nats.CONNECTED && conn.Stats().Reconnects == l.reconnects
}

// updates is what the engine says about leases and about groups: nothing, while there is no link.
func (l *link) updates() (leases, groups <-chan jetstream.KeyValueEntry) {
	if l == nil {
		return nil, nil
	}
	return l.watches[0].Updates(), l.watches[1].Updates()
}

// update is what the engine says about a key.
type update struct {
	key   string
	value []byte
	gone  bool
	age   time.Duration // that it had when the link was made, by the engine's clock; 0 for what came since
}

func (l *link) update(e jetstream.KeyValueEntry) update {
	return update{e.Key(), e.Value(), e.Operation() != jetstream.KeyValuePut, max(0, l.began.Sub(e.Created()))}
}

// rewrite is how long the link lives: the next one writes anew what the engine would let go, and reads
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
	l.ending.Wait()
	for _, w := range l.watches {
		if w != nil {
			drain(w)
		}
	}
}

// drain waits for the end of a watch whose context has ended: whoever is about to hand over an update must
// get rid of it first. Its Stop would wait for an answer of the engine, which may not be there.
func drain(w jetstream.KeyWatcher) {
	for range w.Updates() {
	}
}
