package exchange

import (
	"context"
	"iter"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/ofmcast/ofmcast/mcast"
)

// Sync publishes what this node's own members together want of a group. It is the cache that calls it.
func (x *Exchange[M]) Sync(ctx context.Context, s mcast.State[M]) error {
	l := x.link.Load()
	if l == nil {
		return ErrAway
	}
	if !shared(s.Group().Addr) || !x.cfg.Shares(s.Group()) || !x.changed(s) {
		return nil
	}
	ctx, cancel := l.bound(ctx)
	defer cancel()
	key := groupKey(x.cfg.Node, s.Group())
	f := mcast.Merge(x.local(s))
	if f.IsNone() {
		return x.remove(ctx, l, key)
	}
	x.mu.Lock()
	x.published[key] = struct{}{} // before: if it fails nobody knows whether it was written
	x.mu.Unlock()
	if _, err := l.groups.Put(ctx, key, appendValue(nil, f)); err != nil {
		return err
	}
	x.count(func(s *Statistics) { s.Published++ })
	return nil
}

// Prune takes away what an earlier process of this node has published and nobody wants any more. The
// groups to keep are those that Sync has published since.
func (x *Exchange[M]) Prune(ctx context.Context, _ iter.Seq[mcast.Group]) error {
	l := x.link.Load()
	if l == nil {
		return ErrAway
	}
	if x.clock().Before(x.ready) {
		return nil // a new link came early; the next one prunes
	}
	ctx, cancel := l.bound(ctx)
	defer cancel()
	keys, err := ownKeys(ctx, l.groups, nodeKey(x.cfg.Node))
	for _, key := range keys {
		if err == nil && !x.wrote(key) {
			err = l.groups.Delete(ctx, key)
		}
	}
	return err
}

// ownKeys lists the keys of a node.
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

// Leave gives up the lease, so that the others do not wait for its end. It is for a node that goes for
// good, after Run.
func (x *Exchange[M]) Leave(ctx context.Context) error {
	kv, err := x.js.KeyValue(ctx, x.cfg.Bucket+"_nodes")
	if err != nil {
		return err
	}
	return kv.Delete(ctx, nodeKey(x.cfg.Node))
}

// remove deletes a key if there may be one.
func (x *Exchange[M]) remove(ctx context.Context, l *link, key string) error {
	if !x.wrote(key) {
		return nil
	}
	if err := l.groups.Delete(ctx, key); err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.published, key)
	x.stats.Published++
	return nil
}

func (x *Exchange[M]) wrote(key string) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	_, ok := x.published[key]
	return ok
}

// changed says whether a state differs from what was published in what concerns this node's members.
func (x *Exchange[M]) changed(s mcast.State[M]) bool {
	prev, ok := s.Prev()
	if !ok {
		return true
	}
	for m := range s.Changes() {
		if x.cfg.Local(m) {
			return !mcast.Merge(x.local(prev)).Equal(mcast.Merge(x.local(s)))
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

// bound is a context that ends with the link too: an engine that went away will not answer, and after it
// is back the group must not have to wait for that.
func (l *link) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(l.ctx, cancel)
	return ctx, func() { stop(); cancel() }
}
