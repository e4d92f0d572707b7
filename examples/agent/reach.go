package main

import (
	"context"
	"sync"
	"time"
)

// reach is whether hosts can be asked and heard, and since when without a break: while they cannot, their
// silence means nothing. They can when the switch is connected and was told everything, and no general
// query of ours has failed.
type reach struct {
	hold func(bool) // has silence end no membership; called with the lock held, so that the last word counts

	mu         sync.Mutex
	last       uint64    // numbers connections
	connection uint64    // the number of the one there is; 0 while there is none
	told       uint64    // the number of the last one by which the switch was told everything
	unasked    bool      // a general query has failed
	since      time.Time // zero while hosts are out of reach
	changed    trigger
}

func newReach(hold func(bool)) *reach { return &reach{hold: hold, changed: newTrigger()} }

// connected says that there is a connection.
func (r *reach) connected() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last++
	r.connection = r.last
	r.update()
}

// disconnected says that there is none, and returns whether there was one.
func (r *reach) disconnected() (was bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	was, r.connection = r.connection != 0, 0
	r.update()
	return was
}

// current is the number of the connection there is, for tellDone.
func (r *reach) current() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.connection
}

// tellDone says that the switch was told everything by a connection, which may be gone meanwhile.
func (r *reach) tellDone(connection uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.told = connection
	r.update()
}

// asked says whether the last general query of every VLAN went out.
func (r *reach) asked(all bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unasked = !all
	r.update()
}

// update is to be called after every change, with the lock held.
func (r *reach) update() {
	yes := r.connection != 0 && r.told == r.connection && !r.unasked
	r.hold(!yes)
	if yes != r.since.IsZero() {
		return // as before
	}
	r.since = time.Time{}
	if yes {
		r.since = time.Now()
	}
	r.changed.signal()
}

// wait returns when hosts have been within reach for as long as long says, or with ctx's error when it has
// ended.
func (r *reach) wait(ctx context.Context, long func() time.Duration) error {
	for {
		r.mu.Lock()
		since := r.since
		r.mu.Unlock()
		over := make(<-chan time.Time) // never
		if !since.IsZero() {
			over = time.After(time.Until(since.Add(long())))
		}
		select {
		case <-over:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-r.changed:
		}
	}
}
