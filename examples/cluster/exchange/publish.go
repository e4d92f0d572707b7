package exchange

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/ofmcast/ofmcast/mcast"
)

// errEarly says that hosts have still to be asked what they want. The cache tries again.
var errEarly = errors.New("exchange: too early to take away what an earlier process has published")

// Sync publishes what this node's own members together want of a group. It is the cache that calls it.
func (x *Exchange[M]) Sync(ctx context.Context, s mcast.State[M]) error {
	l := x.link.Load()
	if l == nil {
		return ErrAway
	}
	if !shared(s.Group().Addr) || !x.cfg.Shares(s.Group()) || !x.concerns(s) {
		return nil
	}
	value := ""
	if f := mcast.Merge(x.local(s)); !f.IsNone() {
		value = string(appendValue(nil, f))
	}
	key := groupKey(x.cfg.Node, s.Group())
	_, told := s.Prev()
	if old, ours := x.wrote(key); value == "" && !ours || value != "" && value == old && told {
		return nil
	}
	ctx, cancel := l.bound(ctx)
	defer cancel()
	return x.write(ctx, l, key, value)
}

// concerns says whether a state may have changed in what concerns this node's members.
func (x *Exchange[M]) concerns(s mcast.State[M]) bool {
	if _, told := s.Prev(); !told {
		return true
	}
	for m := range s.Changes() {
		if x.cfg.Local(m) {
			return true
		}
	}
	return false
}

// local are the filters of this node's own members.
func (x *Exchange[M]) local(s mcast.State[M]) iter.Seq[mcast.Filter] {
	return func(yield func(mcast.Filter) bool) {
		for m, f := range s.All() {
			if x.cfg.Local(m) && !yield(f) {
				return
			}
		}
	}
}

// write writes a value, or deletes the key if there is none. Until that has succeeded nobody knows what is
// there.
func (x *Exchange[M]) write(ctx context.Context, l *link, key, value string) (err error) {
	x.mu.Lock()
	x.published[key] = ""
	x.mu.Unlock()
	if value == "" {
		err = l.groups.Delete(ctx, key)
	} else {
		_, err = l.groups.PutString(ctx, key, value)
	}
	if err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.stats.Published++
	if x.published[key] = value; value == "" {
		delete(x.published, key)
	}
	return nil
}

// wrote is what this process has written, "" if that is not known, and whether it may have written at all.
func (x *Exchange[M]) wrote(key string) (value string, ok bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	value, ok = x.published[key]
	return value, ok
}

// Prune takes away what an earlier process of this node has published and nobody wants any more. The
// groups to keep are those that Sync has published since.
func (x *Exchange[M]) Prune(ctx context.Context, _ iter.Seq[mcast.Group]) error {
	l := x.link.Load()
	switch {
	case l == nil:
		return ErrAway
	case x.clock().Before(x.ready):
		return errEarly // the cache does not wait after a Resync
	}
	ctx, cancel := l.bound(ctx)
	defer cancel()
	return deleteOwn(ctx, l.groups, nodeKey(x.cfg.Node), func(key string) bool {
		_, ours := x.wrote(key)
		return !ours
	})
}

// deleteOwn deletes those keys of a node that are unwanted.
func deleteOwn(ctx context.Context, groups jetstream.KeyValue, node string, unwanted func(key string) bool) error {
	keys, err := ownKeys(ctx, groups, node)
	for _, key := range keys {
		if err == nil && unwanted(key) {
			err = groups.Delete(ctx, key)
		}
	}
	return err
}

// ownKeys lists the keys of a node. The client's own listing would wait for an engine that went away
// meanwhile, and no Sync could run.
func ownKeys(ctx context.Context, groups jetstream.KeyValue, node string) (keys []string, err error) {
	ctx, cancel := context.WithCancel(ctx)
	w, err := groups.Watch(ctx, node+".>", jetstream.IgnoreDeletes(), jetstream.MetaOnly())
	if err != nil {
		cancel()
		return nil, err
	}
	defer drain(w)
	defer cancel()
	for e := range w.Updates() {
		if e == nil {
			return keys, nil
		}
		keys = append(keys, e.Key())
	}
	return nil, ErrAway
}

// Leave gives up the lease, so that the others do not wait for its end, and takes away what this node has
// published. It is for a node that goes for good, after Run.
func (x *Exchange[M]) Leave(ctx context.Context) error {
	if x.cfg.Conn.Status() != nats.CONNECTED {
		return ErrAway // what was published ends by itself
	}
	nodes, err := x.js.KeyValue(ctx, x.cfg.Bucket+"_nodes")
	if err == nil {
		err = nodes.Delete(ctx, nodeKey(x.cfg.Node))
	}
	if err != nil {
		return fmt.Errorf("exchange: leaving: %w", err)
	}
	groups, err := x.js.KeyValue(ctx, x.cfg.Bucket)
	if err == nil {
		err = deleteOwn(ctx, groups, nodeKey(x.cfg.Node), func(string) bool { return true })
	}
	if err != nil {
		return fmt.Errorf("exchange: what was published stays: %w", err)
	}
	return nil
}

// bound is a context that ends with the link too: an engine that went away will not answer, and after it
// is back the group must not have to wait for that.
func (l *link) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(l.ctx, cancel)
	return ctx, func() { stop(); cancel() }
}
