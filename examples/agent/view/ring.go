package view

import "sync"

// ring keeps the newest events, counted from 1.
type ring struct {
	mu     sync.Mutex
	events []Event // the newest last
	last   uint64
	more   chan struct{} // closed with the next event
	max    int
}

func newRing(max int) *ring { return &ring{max: max, more: make(chan struct{})} }

// add takes in an event, which gets its number here. skip is how many were lost just before it.
func (r *ring) add(e Event, skip uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last += 1 + skip
	e.Seq = r.last
	if len(r.events) == r.max {
		copy(r.events, r.events[1:])
		r.events = r.events[:r.max-1]
	}
	r.events = append(r.events, e)
	close(r.more)
	r.more = make(chan struct{})
}

// after returns copies of the events behind a number, and what is closed when there is another one.
func (r *ring) after(seq uint64) ([]Event, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if seq > r.last { // of an earlier process
		seq = 0
	}
	from := len(r.events)
	for from > 0 && r.events[from-1].Seq > seq {
		from--
	}
	return append([]Event{}, r.events[from:]...), r.more
}
