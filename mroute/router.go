package mroute

import (
	"context"
	"errors"
	"net/netip"
	"sync/atomic"
	"time"
)

// Router keeps a Socket's VIFs and routes as a Policy wants them: it answers the kernel's upcalls, follows interfaces as
// they come and go, and removes what no packets use. While it runs, VIFs and routes of the Socket are its alone.
//
// All decisions are made by Run, one after the other; the other methods hand their request to it, from any goroutine.
type Router struct {
	sock    *Socket
	cfg     RouterConfig
	links   linkSource
	changes *Monitor

	started  atomic.Bool
	requests chan func(*core, time.Time)
	ended    chan struct{}
}

// ErrEnded says that Run has ended, or was called before.
var ErrEnded = errors.New("the router has ended")

// NewRouter makes a Router that watches the interfaces in the network namespace of the calling thread, which must be the
// Socket's. Nothing is done before Run, which also frees what NewRouter took.
func NewRouter(s *Socket, cfg RouterConfig) (*Router, error) {
	links, err := openLinks()
	if err != nil {
		return nil, fault("watch interfaces", "", err)
	}
	changes, err := s.Monitor()
	if err != nil {
		return nil, errors.Join(err, links.close())
	}
	return &Router{
		sock: s, cfg: cfg, links: links, changes: changes,
		requests: make(chan func(*core, time.Time)),
		ended:    make(chan struct{}),
	}, nil
}

// linkSource tells of interfaces: first of all that there are, then of changes, or of all again when it missed some.
type linkSource interface {
	next(ctx context.Context) (linkEvent, error)
	close() error
}

// Run routes until parent ends, and returns nil then; or until the Socket is closed or cannot be read, and returns the
// error. The routes stay: closing the Socket removes them. Run can be called once.
func (r *Router) Run(parent context.Context) error {
	if r.started.Swap(true) {
		return fault("run", "", ErrEnded)
	}
	defer close(r.ended)
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	r.loop(ctx, r.read(ctx, cancel))
	if parent.Err() != nil {
		return nil
	}
	return fault("run", "", context.Cause(ctx))
}

// loop owns the core.
func (r *Router) loop(ctx context.Context, in *inlets) {
	defer in.close()
	c := newCore(r.sock, r.cfg, time.Now())
	select {
	case e := <-in.links: // the names of the interfaces come first: upcalls may wait already
		c.linkChange(e)
	case <-ctx.Done():
		return
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for ctx.Err() == nil {
		now := time.Now()
		c.advance(now)
		timer.Reset(c.due().Sub(now))
		select {
		case u, ok := <-in.upcalls:
			if ok { // else reading has failed, and ctx ended with it
				c.upcall(u, time.Now())
			}
		case e := <-in.links:
			c.linkChange(e)
		case e := <-in.changes:
			c.change(e, time.Now())
		case f := <-r.requests:
			f(c, time.Now())
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	for u := range in.upcalls { // read already: the kernel does not tell again
		c.upcall(u, time.Now())
	}
}

// Refresh asks the Policy again for every stream of the group, after a receiver came or went, and returns when the kernel
// has the changes. The error is the kernel's, and the changes it stands for are tried again with each tick. Before Run
// it waits for it; after its end it returns ErrEnded.
func (r *Router) Refresh(ctx context.Context, group netip.Addr) error {
	var err error
	if err := r.do(ctx, func(c *core, _ time.Time) { err = c.refresh(group) }); err != nil {
		return fault("refresh", group, err)
	}
	return err
}

// Status tells what the Router does. Its errors are ErrEnded and those of ctx.
func (r *Router) Status(ctx context.Context) (Status, error) {
	var s Status
	err := r.do(ctx, func(c *core, now time.Time) { s = c.status(now) })
	return s, fault("status", "", err)
}

// do has f done by Run.
func (r *Router) do(ctx context.Context, f func(*core, time.Time)) error {
	done := make(chan struct{})
	request := func(c *core, now time.Time) {
		defer close(done)
		f(c, now)
	}
	select {
	case r.requests <- request:
		<-done
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-r.ended:
		return ErrEnded
	}
}
