package mcasttest

import (
	"context"
	"iter"
	"sync"
	"time"

	"github.com/ofmcast/ofmcast/mcast"
)

// Failing is a [Recorder] that fails when it is told to. The zero Failing does
// not. All methods are safe for concurrent use.
type Failing[M comparable] struct {
	Recorder[M]

	mu    sync.Mutex
	err   error
	first int // so many calls for each group fail; 0 is all
	calls map[mcast.Group]int
}

// Fail makes every Sync and Prune return err from now on; nil heals the sink.
func (f *Failing[M]) Fail(err error) { f.FailFirst(0, err) }

// FailFirst makes the next n calls of Sync for each group return err; 0 is all,
// of Prune too.
func (f *Failing[M]) FailFirst(n int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err, f.first, f.calls = err, n, make(map[mcast.Group]int)
}

// Sync fails, or does what the Recorder does.
func (f *Failing[M]) Sync(ctx context.Context, s mcast.State[M]) error {
	return f.sync(ctx, s, func() error { return f.verdict(s.Group()) })
}

// Prune fails, or does what the Recorder does.
func (f *Failing[M]) Prune(ctx context.Context, keep iter.Seq[mcast.Group]) error {
	return f.prune(ctx, keep, func() error {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.first > 0 {
			return nil
		}
		return f.err
	})
}

func (f *Failing[M]) verdict(g mcast.Group) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		return nil
	}
	f.calls[g]++
	if f.first > 0 && f.calls[g] > f.first {
		return nil
	}
	return f.err
}

// Slow is a [Recorder] whose calls take their time on the clock of package
// time, which is that of a testing/synctest bubble in one.
type Slow[M comparable] struct {
	Recorder[M]
	// Takes is how long each Sync and Prune takes. When the call's context
	// ends before, it returns the context's error.
	Takes time.Duration
}

// Sync waits, then does what the Recorder does.
func (s *Slow[M]) Sync(ctx context.Context, state mcast.State[M]) error {
	return s.sync(ctx, state, func() error { return s.wait(ctx) })
}

// Prune waits, then does what the Recorder does.
func (s *Slow[M]) Prune(ctx context.Context, keep iter.Seq[mcast.Group]) error {
	return s.prune(ctx, keep, func() error { return s.wait(ctx) })
}

func (s *Slow[M]) wait(ctx context.Context) error {
	t := time.NewTimer(s.Takes)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Stuck is a [Recorder] whose calls do not return, whatever becomes of their
// context, until Release: what a sink must not be, and what a cache must live
// with. Make it with [NewStuck].
type Stuck[M comparable] struct {
	Recorder[M]
	release func()
	free    <-chan struct{}
}

// NewStuck makes a sink that is stuck. Release it, or its goroutines stay.
func NewStuck[M comparable]() *Stuck[M] {
	free := make(chan struct{})
	return &Stuck[M]{free: free, release: sync.OnceFunc(func() { close(free) })}
}

// Release lets all calls go on, those under way and those to come. To release
// again does nothing.
func (s *Stuck[M]) Release() { s.release() }

// Sync waits for Release, then does what the Recorder does.
func (s *Stuck[M]) Sync(ctx context.Context, state mcast.State[M]) error {
	return s.sync(ctx, state, s.wait)
}

// Prune waits for Release, then does what the Recorder does.
func (s *Stuck[M]) Prune(ctx context.Context, keep iter.Seq[mcast.Group]) error {
	return s.prune(ctx, keep, s.wait)
}

func (s *Stuck[M]) wait() error {
	<-s.free
	return nil
}
