package mcast

import "context"

// dispatch starts goroutines for what is ready, up to Workers for each sink.
func (c *Cache[M]) dispatch(ctx context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.outbox.n > 0 && !c.driver.query {
		c.driver.query = true
		go c.queryWorker(ctx)
	}
	for _, s := range c.sinks {
		for n := s.wanted(c.now); n > 0; n-- {
			s.workers++
			c.driver.calls[s.name]++
			go c.sinkWorker(ctx, s)
		}
	}
}

// wanted is how many more workers a sink can use.
func (s *sink[M]) wanted(now instant) int {
	switch {
	case s.round.pruning:
		return 0
	case s.round.pruneReady(now):
		return 1 - min(s.workers, 1)
	}
	ready := s.fresh.n + min(s.retry.n, s.mayRetry())
	seeking := s.workers - s.calls
	return min(ready-seeking, s.cfg.Workers-s.workers)
}

// queryWorker sends queries until none is due. It decides to end under the
// lock, so that no query that becomes due is left to nobody.
func (c *Cache[M]) queryWorker(ctx context.Context) {
	locked := false
	defer func() {
		if !locked { // Config.Query has ended the goroutine: another goes on
			c.mu.Lock()
			c.count.QueryErrors++
			c.news = true
		}
		c.driver.query = false
		c.driver.leave("")
		c.unlock()
	}()
	for {
		c.mu.Lock()
		if c.outbox.n == 0 || ctx.Err() != nil {
			locked = true
			return
		}
		c.mu.Unlock()
		_, _ = c.sendQuery(ctx) // logged and counted there
	}
}

// sinkWorker makes a sink's calls until none is due. It ends like queryWorker.
func (c *Cache[M]) sinkWorker(ctx context.Context, s *sink[M]) {
	locked := false
	defer func() {
		if !locked {
			c.mu.Lock()
			c.news = true
		}
		s.workers--
		c.driver.leave(s.name)
		c.unlock()
	}()
	for {
		c.mu.Lock()
		j, ok := c.takeUnless(ctx, s)
		if !ok {
			locked = true
			return
		}
		c.mu.Unlock()
		_ = c.perform(ctx, j) // logged and counted there
	}
}

// takeUnless is take, but nothing once ctx has ended.
func (c *Cache[M]) takeUnless(ctx context.Context, s *sink[M]) (job[M], bool) {
	if ctx.Err() != nil {
		return job[M]{}, false
	}
	return c.take(s)
}
