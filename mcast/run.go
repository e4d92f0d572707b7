package mcast

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// driver is who is doing the cache's work.
type driver struct {
	active bool
	now    func() time.Time // under Run
	ended  chan struct{}    // holds one: a goroutine of Run has ended
	query  bool             // one is sending queries
	calls  map[string]int   // how many call a sink, of this Run or one before
}

func (d *driver) start(mu *sync.Mutex, now func() time.Time) error {
	mu.Lock()
	defer mu.Unlock()
	if d.active {
		return ErrRunning
	}
	d.active, d.now = true, now
	return nil
}

func (d *driver) stop(mu *sync.Mutex) {
	mu.Lock()
	defer mu.Unlock()
	d.active, d.now = false, nil
}

// left names the goroutines of Run that have not ended; nil if all have.
func (d *driver) left() error {
	if len(d.calls) == 0 && !d.query {
		return nil
	}
	return &StuckError{Sinks: slices.Sorted(maps.Keys(d.calls)), Query: d.query}
}

// leave notes that a goroutine ends, with the name of its sink if it had one.
func (d *driver) leave(name string) {
	if d.calls[name]--; d.calls[name] <= 0 {
		delete(d.calls, name)
	}
	select {
	case d.ended <- struct{}{}:
	default:
	}
}

// moment is the time at which something ends that takes time.
func (c *Cache[M]) moment() instant {
	if c.driver.now == nil {
		return c.now
	}
	return max(c.clock.in(c.driver.now()), c.now)
}

// Run is the cache on the clock of package time: it advances, sends queries
// and calls sinks from goroutines of its own, until the context ends. Then it
// cancels the calls under way and waits for them: it returns nil, or after
// Config.StopGrace a *StuckError. What was not delivered stays due. It returns
// ErrRunning when another Run or Flush is at work.
func (c *Cache[M]) Run(ctx context.Context) error {
	if err := c.driver.start(&c.mu, time.Now); err != nil {
		return err
	}
	defer c.driver.stop(&c.mu)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return c.drain()
		case <-c.wake:
		case <-timer.C:
		}
		c.Advance(time.Now())
		c.dispatch(ctx)
		timer.Stop()
		if next, ok := c.nextTimer(); ok {
			timer.Reset(time.Until(next))
		}
	}
}

// nextTimer is when a timer ends; what is ready wakes Run by itself.
func (c *Cache[M]) nextTimer() (time.Time, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	next := never
	if c.timers.len() > 0 {
		next = c.timers.first().wake
	}
	for _, s := range c.sinks {
		next = min(next, s.nextTimer(c.now))
	}
	return c.clock.out(next), next != never
}

// drain waits for the goroutines of Run, whose context has ended.
func (c *Cache[M]) drain() error {
	grace := time.NewTimer(c.cfg.StopGrace)
	defer grace.Stop()
	for {
		c.mu.Lock()
		left := c.driver.left()
		c.mu.Unlock()
		if left == nil {
			return nil
		}
		select {
		case <-c.driver.ended:
		case <-grace.C:
			return left
		}
	}
}
