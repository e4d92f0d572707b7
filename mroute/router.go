package mroute

import (
	"context"
	"errors"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

// Router keeps a Socket's VIFs and routes as a Policy wants them: it answers the kernel's upcalls, follows interfaces as
// they come and go, and removes what no packets use. While it runs, VIFs and routes of the Socket are its alone.
//
// All decisions are made by Run, one after the other; the other methods hand their request to it, from any goroutine.
type Router struct {
	sock  *Socket
	cfg   RouterConfig
	links linkSource

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
	return newRouter(s, cfg, links), nil
}

func newRouter(s *Socket, cfg RouterConfig, links linkSource) *Router {
	return &Router{
		sock: s, cfg: cfg, links: links,
		requests: make(chan func(*core, time.Time)),
		ended:    make(chan struct{}),
	}
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
	var readers sync.WaitGroup
	defer func() { cancel(nil); readers.Wait(); _ = r.links.close() }()

	upcalls, links := make(chan *Upcall), make(chan linkEvent)
	readers.Go(func() { cancel(feed(ctx, upcalls, r.readUpcall)) })
	readers.Go(func() { cancel(feed(ctx, links, r.links.next)) })
	r.loop(ctx, upcalls, links)
	if parent.Err() != nil {
		return nil
	}
	return fault("run", "", context.Cause(ctx))
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

// readUpcall leaves the IGMP packets out: they are for whoever keeps memberships, on a socket of his own.
func (r *Router) readUpcall(ctx context.Context) (*Upcall, error) {
	for {
		m, err := r.sock.Read(ctx)
		if u, ok := m.(*Upcall); ok || err != nil {
			return u, err
		}
	}
}

// loop owns the core.
func (r *Router) loop(ctx context.Context, upcalls <-chan *Upcall, links <-chan linkEvent) {
	c := newCore(r.sock, r.cfg, time.Now())
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		now := time.Now()
		c.advance(now)
		timer.Reset(c.due().Sub(now))
		select {
		case u := <-upcalls:
			c.upcall(u, time.Now())
		case e := <-links:
			c.linkChange(e)
		case f := <-r.requests:
			f(c, time.Now())
		case <-timer.C:
		case <-ctx.Done():
			return
		}
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
	err := r.do(ctx, func(c *core, now time.Time) { s = c.status() })
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
