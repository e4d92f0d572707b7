package mroute

import (
	"context"
	"errors"
	"sync"
)

// inlets are what a Router hears, each read by a goroutine of its own. Upcalls end with the context, and are closed then.
type inlets struct {
	upcalls chan *Upcall
	links   chan linkEvent
	changes chan routeEvent
	close   func()
}

// routeEvent is a change of a route, or tells that some were missed.
type routeEvent struct {
	Change
	missed bool
}

// read starts the readers. What fails ends ctx.
func (r *Router) read(ctx context.Context, fail context.CancelCauseFunc) *inlets {
	in := &inlets{upcalls: make(chan *Upcall), links: make(chan linkEvent), changes: make(chan routeEvent)}
	var readers sync.WaitGroup
	readers.Go(func() {
		defer close(in.upcalls)
		fail(r.feedUpcalls(ctx, in.upcalls))
	})
	readers.Go(func() { fail(feed(ctx, in.links, r.links.next)) })
	readers.Go(func() { fail(feed(ctx, in.changes, r.nextChange)) })
	in.close = func() {
		for range in.upcalls { // the loop may have ended before it took any
		}
		readers.Wait()
		_, _ = r.links.close(), r.changes.Close()
	}
	return in
}

// feed reads until reading fails or ctx ends, and returns why.
func feed[T any](ctx context.Context, to chan<- T, read func(context.Context) (T, error)) error {
	for {
		x, err := read(ctx)
		if err != nil {
			return err
		}
		select {
		case to <- x:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// feedUpcalls passes on every upcall that it has read, also when ctx has ended: whoever takes the Socket over would not
// get it again. It leaves the IGMP packets out: they are for whoever keeps memberships, on a socket of his own.
func (r *Router) feedUpcalls(ctx context.Context, to chan<- *Upcall) error {
	for {
		m, err := r.sock.Read(ctx)
		if err != nil {
			return err
		}
		if u, ok := m.(*Upcall); ok {
			to <- u
		}
	}
}

func (r *Router) nextChange(ctx context.Context) (routeEvent, error) {
	c, err := r.changes.Next(ctx)
	if errors.Is(err, ErrMissed) {
		return routeEvent{missed: true}, nil
	}
	return routeEvent{Change: c}, err
}
