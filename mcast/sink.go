package mcast

import (
	"context"
	"iter"
	"math/rand/v2"
	"time"
)

// Sink is where memberships are pushed to.
type Sink[M comparable] interface {
	// Sync makes the world agree with the state of one group; with Len 0 it
	// takes the group away, and what is not there any more counts as taken
	// away. Nil is success; after an error it is called again
	// with the newest state, so that it must be able to repeat itself. Calls
	// for different groups may run at the same time, see SinkConfig.Workers,
	// calls for one group never do. The context ends with the timeout, with
	// Run and with the removal of the sink.
	Sync(ctx context.Context, s State[M]) error
}

// Pruner is a Sink that can take away what nobody wants any more, for instance
// what an earlier process has left behind.
type Pruner interface {
	// Prune keeps the groups and takes away all others that are the sink's
	// own. It is called once after the sink was added or resynced and has been
	// handed every group; the groups come in order.
	Prune(ctx context.Context, keep iter.Seq[Group]) error
}

// SyncFunc is a function as a Sink.
type SyncFunc[M comparable] func(context.Context, State[M]) error

// Sync calls the function.
func (f SyncFunc[M]) Sync(ctx context.Context, s State[M]) error { return f(ctx, s) }

// SinkConfig is how a sink is called. The zero value does.
type SinkConfig struct {
	// Workers is how many calls may run at a time under Run; default 16. At
	// most half of them, but one, are spent on retries.
	Workers int
	// MinInterval is the least time between two calls for one group, from
	// beginning to beginning; default 10 ms, negative is none. The first
	// change after a quiet time does not wait.
	MinInterval time.Duration
	// MinRetry is the time until the first retry; default 5 s. It doubles
	// with each further one.
	MinRetry time.Duration
	// MaxRetry bounds the time until a retry; default 5 min.
	MaxRetry time.Duration
	// Timeout ends the context of a call; default 30 s, negative is none.
	Timeout time.Duration
	// PruneDelay is how long after AddSink a sink's first Prune waits at
	// least, counted from the last Advance; default is not at all. An agent
	// that starts again waits until hosts have been asked: what an earlier
	// process has left behind may be wanted. After a Resync, which comes when
	// the cache is settled, nothing waits.
	PruneDelay time.Duration
	// Jitter changes the time until a retry, so that what failed together is
	// not retried together; nil takes 90 to 110 % of it at random.
	// It is called with the cache locked: it must not call it.
	Jitter func(time.Duration) time.Duration
}

func (c SinkConfig) withDefaults() SinkConfig {
	if c.Workers <= 0 {
		c.Workers = 16
	}
	if c.MinInterval == 0 {
		c.MinInterval = 10 * time.Millisecond
	}
	if c.MinRetry <= 0 {
		c.MinRetry = 5 * time.Second
	}
	if c.MaxRetry <= 0 {
		c.MaxRetry = 5 * time.Minute
	}
	if c.Timeout == 0 {
		c.Timeout = 30 * time.Second
	}
	if c.Jitter == nil {
		c.Jitter = jitter
	}
	return c
}

func jitter(d time.Duration) time.Duration {
	return time.Duration(float64(d) * (0.9 + 0.2*rand.Float64()))
}

// backoff is the time to wait after that many failures in a row.
func (c *SinkConfig) backoff(failures int) time.Duration {
	wait := c.MinRetry
	for ; failures > 1 && wait < c.MaxRetry; failures-- {
		wait *= 2
	}
	return max(c.Jitter(min(wait, c.MaxRetry)), 1)
}

// sink is what the cache keeps of a sink.
type sink[M comparable] struct {
	name string
	to   Sink[M]
	cfg  SinkConfig

	fresh list[*delivery[M]] // due, first try
	retry list[*delivery[M]] // due, tried before
	later heap[*delivery[M]]
	round round

	workers    int                // goroutines of Run
	calls      int                // under way
	busy       list[*delivery[M]] // of those, in the order in which they began
	failing    int                // groups whose last call failed
	retrying   int                // of those, tried before
	afterRetry bool

	gone context.Context // ends when the sink is removed
	drop context.CancelFunc
	idle chan struct{} // closed when removed and no call is under way

	count SinkStatistics
}

// round is the time from AddSink or Resync until all groups were handed to the
// sink and Prune was called.
type round struct {
	number   uint64
	waiting  int  // groups still to be handed to the sink
	prune    bool // Prune is still to be called
	pruning  bool
	began    instant // the call of Prune under way
	failures int
	pruneAt  instant
}

func (r *round) over() bool { return r.waiting == 0 && !r.prune }

// pruneReady says that Prune is what comes next.
func (r *round) pruneReady(now instant) bool {
	return r.waiting == 0 && r.prune && r.pruneAt <= now
}

// advance makes ready what is due.
func (s *sink[M]) advance(now instant) {
	for s.later.len() > 0 && s.later.first().at <= now {
		d := s.later.first()
		s.later.remove(d)
		s.ready(d)
	}
}

func (s *sink[M]) ready(d *delivery[M]) { s.queue(d).push(d) }

// queue is where a delivery waits when it is due. Its failures change only
// while it does not wait.
func (s *sink[M]) queue(d *delivery[M]) *list[*delivery[M]] {
	if d.failures > 0 {
		return &s.retry
	}
	return &s.fresh
}

// nextTimer is when Advance has something to do for the sink.
func (s *sink[M]) nextTimer(now instant) instant {
	next := never
	if s.later.len() > 0 {
		next = s.later.first().at
	}
	if r := &s.round; r.waiting == 0 && r.prune && r.pruneAt > now {
		next = min(next, r.pruneAt)
	}
	return next
}

// oldest is when the oldest call under way began; there is one.
func (s *sink[M]) oldest() instant {
	if s.busy.n > 0 {
		return s.busy.head.began
	}
	return s.round.began
}

// next is when Advance or Flush has something to do for the sink.
func (s *sink[M]) next(now instant) instant {
	if s.fresh.n > 0 || s.retry.n > 0 || s.round.pruneReady(now) {
		return now
	}
	return s.nextTimer(now)
}
