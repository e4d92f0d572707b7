package mcast

import (
	"context"
	"iter"
	"slices"
	"sync"
)

// watchSize is how many events a watcher keeps by default.
const watchSize = 1024

// Watcher is a bounded stream of events for one reader. All methods may be
// called from any number of goroutines; each event goes to one of those that
// read.
type Watcher[M comparable] struct {
	cache *Cache[M]
	ready chan struct{} // there is something to read; holds one
	done  chan struct{} // closed by Close: nothing comes any more

	mu     sync.Mutex
	ring   []Event[M]
	first  int    // index of the oldest event
	n      int    // how many there are
	missed uint64 // lost just before the oldest
}

// Watch tells from now on what happens to members, whether or not there are
// sinks and whether or not Run or Flush is at work. size is how many events
// are kept for a reader who is slow, and allocated at once; 0 or less takes
// 1,024. When it is full the oldest event is lost, because people care for what
// is new, and the next one says how many were.
//
// To begin with what is there, call Watch first and Groups then: nothing
// happens in between, though Groups may show what an event says again. Close
// must be called when nobody reads any more.
func (c *Cache[M]) Watch(size int) *Watcher[M] {
	if size <= 0 {
		size = watchSize
	}
	w := &Watcher[M]{
		cache: c,
		ready: make(chan struct{}, 1),
		done:  make(chan struct{}),
		ring:  make([]Event[M], size),
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watchers = append(c.watchers, w)
	return w
}

// Next returns the oldest event that was not read, and waits for one. It
// returns the context's error as soon as that has ended, and [ErrClosed] after
// Close when nothing is left.
func (w *Watcher[M]) Next(ctx context.Context) (Event[M], error) {
	if err := ctx.Err(); err != nil {
		return Event[M]{}, err
	}
	for {
		if e, ok := w.TryNext(); ok {
			return e, nil
		}
		select {
		case <-ctx.Done():
			return Event[M]{}, ctx.Err()
		case <-w.ready: // whoever takes this looks, or another reader would wait for ever
		case <-w.done:
			if e, ok := w.TryNext(); ok {
				return e, nil
			}
			return Event[M]{}, ErrClosed
		}
	}
}

// TryNext is Next that never waits. It says whether there was an event.
func (w *Watcher[M]) TryNext() (Event[M], bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.n == 0 {
		return Event[M]{}, false
	}
	e := w.ring[w.first]
	w.ring[w.first] = Event[M]{} // so that what it holds can be freed
	w.first = (w.first + 1) % len(w.ring)
	w.n--
	e.Missed, w.missed = w.missed, 0
	if w.n > 0 {
		w.wake() // another reader may wait
	}
	return e, true
}

// Events are the events as they come, until the context ends or the watcher is
// closed and read to its end.
func (w *Watcher[M]) Events(ctx context.Context) iter.Seq[Event[M]] {
	return func(yield func(Event[M]) bool) {
		for {
			e, err := w.Next(ctx)
			if err != nil || !yield(e) {
				return
			}
		}
	}
}

// Close ends the stream: what happened before can still be read, and nobody
// waits any more. To close again does nothing.
func (w *Watcher[M]) Close() {
	c := w.cache
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.Index(c.watchers, w)
	if i < 0 {
		return
	}
	c.watchers = slices.Delete(c.watchers, i, i+1)
	close(w.done)
}

// push adds an event and says whether that has cost the oldest. It waits for
// nobody: readers hold the lock only to copy one event.
func (w *Watcher[M]) push(e Event[M]) (lost bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	lost = w.n == len(w.ring)
	if lost {
		w.first = (w.first + 1) % len(w.ring)
		w.n--
		w.missed++
	}
	w.ring[(w.first+w.n)%len(w.ring)] = e
	w.n++
	w.wake()
	return lost
}

// wake lets one reader look. It never waits.
func (w *Watcher[M]) wake() {
	select {
	case w.ready <- struct{}{}:
	default:
	}
}
