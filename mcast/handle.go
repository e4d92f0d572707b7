package mcast

import (
	"context"
	"slices"
)

// Handle is a sink that was added to a cache. Its methods may be called from any
// number of goroutines.
type Handle[M comparable] struct {
	cache *Cache[M]
	sink  *sink[M]
}

// AddSink adds a sink. It sees every group that is there, then Prune is called
// if it is a [Pruner], then it sees what changes. The name is for errors, logs
// and statistics; ErrSinkExists says that it is taken.
func (c *Cache[M]) AddSink(name string, to Sink[M], cfg SinkConfig) (*Handle[M], error) {
	if name == "" || to == nil {
		return nil, &Error{Op: "add sink", Detail: "no name or no sink", Err: ErrInvalid}
	}
	gone, drop := context.WithCancel(context.Background())
	s := &sink[M]{name: name, to: to, cfg: cfg.withDefaults(), gone: gone, drop: drop, idle: make(chan struct{})}
	c.mu.Lock()
	defer c.unlock()
	if slices.ContainsFunc(c.sinks, func(x *sink[M]) bool { return x.name == name }) {
		drop()
		return nil, &Error{Op: "add sink", Detail: name, Err: ErrSinkExists}
	}
	c.sinks = append(c.sinks, s)
	c.startRound(s)
	s.round.pruneAt = c.now.after(s.cfg.PruneDelay)
	return &Handle[M]{cache: c, sink: s}, nil
}

// Name is the sink's name.
func (h *Handle[M]) Name() string { return h.sink.name }

// Resync forgets what the sink was told, for instance because the switch was
// restarted: it sees every group again, at once and without Prev, then Prune
// is called. A call that is under way counts as made before.
func (h *Handle[M]) Resync() {
	c := h.cache
	c.mu.Lock()
	defer c.unlock()
	if h.sink.gone.Err() == nil {
		c.startRound(h.sink)
	}
}

// HasSynced says that the sink was handed every group that was there when it
// was added or last resynced, and that Prune succeeded since.
func (h *Handle[M]) HasSynced() bool {
	c := h.cache
	c.mu.Lock()
	defer c.mu.Unlock()
	return h.sink.gone.Err() == nil && h.sink.round.over()
}

// Remove takes the sink out. No further call starts, the contexts of those
// under way end, and Remove waits for them until its own context ends; then it
// returns a *StuckError. It must not be called from within the sink without a
// context that ends. To remove it again does nothing but wait.
func (h *Handle[M]) Remove(ctx context.Context) error {
	c, s := h.cache, h.sink
	c.mu.Lock()
	if s.gone.Err() == nil {
		s.drop()
		c.sinks = slices.DeleteFunc(c.sinks, func(x *sink[M]) bool { return x == s })
		for _, g := range c.groups {
			if d := g.delivery(s); d != nil {
				c.discard(d)
				c.sweep(g)
			}
		}
		if s.calls == 0 {
			close(s.idle)
		}
	}
	c.unlock()
	select {
	case <-s.idle:
		return nil
	case <-ctx.Done():
		return &StuckError{Sinks: []string{s.name}}
	}
}

// startRound makes every group due for the sink.
func (c *Cache[M]) startRound(s *sink[M]) {
	_, pruner := s.to.(Pruner)
	s.round = round{number: s.round.number + 1, prune: pruner, pruneAt: c.now, pruning: s.round.pruning, began: s.round.began}
	for _, g := range c.sortedGroups() {
		d := g.delivery(s)
		if d == nil {
			if g.tree.n == 0 {
				continue // others have still to hear that it is gone
			}
			d = g.addDelivery(s)
		}
		d.unqueue()
		d.setFailures(0)
		d.prev, d.hasPrev, d.force, d.notUntil = tree[M]{}, false, true, stopped
		d.inRound = true
		s.round.waiting++
		c.schedule(d)
	}
	c.news = true
}

func (c *Cache[M]) sortedGroups() []*group[M] {
	out := make([]*group[M], 0, len(c.groups))
	for _, g := range c.groups {
		out = append(out, g)
	}
	slices.SortFunc(out, func(a, b *group[M]) int { return a.key.Compare(b.key) })
	return out
}
