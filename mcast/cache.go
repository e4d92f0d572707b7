package mcast

import (
	"context"
	"log/slog"
	"net/netip"
	"sync"
	"time"
)

// Cache holds the memberships. All methods may be called from any number of
// goroutines; none of them calls out with the lock held,
// but for SinkConfig.Jitter.
type Cache[M comparable] struct {
	cfg  Config[M]
	log  *slog.Logger
	env  *env[M]
	wake chan struct{} // tells Run that something became due; holds one

	mu     sync.Mutex
	clock  clock
	now    instant // of the last Advance
	timing timing
	hold   hold
	// unconfirmed was restored, and no report has come since; mostly nil.
	unconfirmed map[*record[M]]struct{}
	groups      map[Group]*group[M]
	peers       map[M]*peer[M]
	owners      map[Owner]*owner[M]
	timers      heap[*record[M]]
	outbox      list[*record[M]] // who has a query due
	removed     removals[M]
	sinks       []*sink[M]
	// watchers hear of changes; nearly always there are none.
	watchers []*Watcher[M]
	count    Statistics
	news     bool // something became due that Run does not know of
	driver   driver

	// everything is EXCLUDE{}, which nearly all members want: shared.
	everything *Filter
	// Room for one report, kept to allocate nothing.
	list  []netip.Addr
	state []source
}

// New makes an empty cache.
func New[M comparable](cfg Config[M]) *Cache[M] {
	if cfg.StopGrace <= 0 {
		cfg.StopGrace = 5 * time.Second
	}
	cfg.Limits = cfg.Limits.withDefaults()
	log := cfg.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Cache[M]{
		cfg:        cfg,
		log:        log,
		env:        &env[M]{hash: newHasher[M](), order: cfg.Order},
		wake:       make(chan struct{}, 1),
		timing:     newTiming(cfg.Timing),
		hold:       hold{floor: stopped, thaw: stopped},
		groups:     make(map[Group]*group[M]),
		peers:      make(map[M]*peer[M]),
		owners:     make(map[Owner]*owner[M]),
		driver:     driver{ended: make(chan struct{}, 1), calls: make(map[string]int)},
		removed:    removals[M]{at: make(map[M]instant), floor: stopped},
		everything: &Filter{exclude: true},
	}
}

// Advance moves time to now and does what is due: memberships end, queries
// and calls of sinks become ready for Flush or Run. A time before the last one
// does nothing. The cost follows what is due, not what is there.
func (c *Cache[M]) Advance(now time.Time) {
	c.mu.Lock()
	defer c.unlock()
	c.advance(c.clock.in(now))
}

func (c *Cache[M]) advance(now instant) {
	if now < c.now {
		return
	}
	c.now = now
	c.hold.advance(now)
	for c.timers.len() > 0 && c.timers.first().wake <= now {
		c.look(c.timers.first(), now)
	}
	c.removed.forget(now, c.timing.gmi)
	for _, s := range c.sinks {
		s.advance(now)
	}
}

// Next says when Advance has something to do, if ever. It may be early: then
// Advance does nothing but find the next time. What Flush would do now is due
// at the time of the last Advance.
func (c *Cache[M]) Next() (time.Time, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	next := never
	if c.timers.len() > 0 {
		next = c.timers.first().wake
	}
	if c.outbox.n > 0 {
		next = min(next, c.now)
	}
	for _, s := range c.sinks {
		next = min(next, s.next(c.now))
	}
	if next == never {
		return time.Time{}, false
	}
	return c.clock.out(max(next, c.now)), true
}

// unlock lets go of the cache, and tells Run when something became due.
func (c *Cache[M]) unlock() {
	news := c.news
	c.news = false
	c.mu.Unlock()
	if news {
		c.notify()
	}
}

// notify tells Run that there is something to do. It never waits.
func (c *Cache[M]) notify() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// Flush runs on the caller's goroutine all that is due at the last Advance,
// first queries, then sinks in the order in which they were added, until
// nothing is. Only Advance moves time, reports do not: without it, what has to
// wait for SinkConfig.MinInterval waits for ever.
//
// It returns ErrRunning when Run or another Flush is at work, the context's
// error when that ends, else the first failure, a *SyncError; one failure stops
// nothing else.
func (c *Cache[M]) Flush(ctx context.Context) error {
	if err := c.driver.start(&c.mu, nil); err != nil {
		return err
	}
	defer c.driver.stop(&c.mu)
	var first error
	for ctx.Err() == nil {
		worked, err := c.flushOnce(ctx)
		if first == nil {
			first = err
		}
		if !worked {
			return first
		}
	}
	return ctx.Err()
}

func (c *Cache[M]) flushOnce(ctx context.Context) (worked bool, err error) {
	if worked, err = c.sendQuery(ctx); worked {
		return worked, err
	}
	if j, ok := c.takeAny(); ok {
		return true, c.perform(ctx, j)
	}
	return false, nil
}

// takeAny takes the next call of the first sink that has one.
func (c *Cache[M]) takeAny() (job[M], bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.sinks {
		if j, ok := c.take(s); ok {
			return j, true
		}
	}
	return job[M]{}, false
}
