package mroute

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
)

// Socket is the router of one multicast routing table of the kernel. It keeps books of the VIFs and routes that it
// made, which is how it refuses what the kernel would take silently. Its methods may be called by any goroutine.
type Socket struct {
	kernel kernel
	closer func() error // closes the kernel, once

	// mu orders the changes: books and kernel must see them in the same order, so it is held across the system call.
	// Readers never take it.
	mu     sync.Mutex
	vifs   vifTable
	routes map[SG]Route

	registered atomic.Uint32 // vifs.registered(), for readers
	malformed  atomic.Uint64
	unknownVIF atomic.Uint64

	reading chan struct{} // holds the read buffer's only user
	buffer  []byte
}

// Open makes the calling process the router of a table (MRT_INIT), in the network namespace of the calling thread. It
// needs CAP_NET_RAW and CAP_NET_ADMIN. Errors: ErrInUse, ErrPermission, errors.ErrUnsupported.
func Open(cfg Config) (*Socket, error) {
	k, err := openKernel(cfg)
	if err != nil {
		return nil, fault("open", "", meaning{
			syscall.EADDRINUSE:  ErrInUse,
			syscall.ENOPROTOOPT: errors.ErrUnsupported,
		}.explain(err))
	}
	return newSocket(k), nil
}

func newSocket(k kernel) *Socket {
	const largest = 1 << 16
	return &Socket{
		kernel:  k,
		closer:  sync.OnceValue(k.close),
		routes:  make(map[SG]Route),
		reading: make(chan struct{}, 1),
		buffer:  make([]byte, largest),
	}
}

// Close ends the routing: the kernel drops all VIFs and routes of the socket at once, and another may open the table.
// Calls under way and later ones end with os.ErrClosed. Closing again does nothing, and returns when the first has ended.
func (s *Socket) Close() error { return fault("close", "", s.closer()) }

// Stats are the counters of what Read left out.
func (s *Socket) Stats() Stats {
	return Stats{Malformed: s.malformed.Load(), UnknownVIF: s.unknownVIF.Load()}
}

// Routes are the routes that were added and not deleted, in no order, as of the call. The kernel may have lost some.
func (s *Socket) Routes() iter.Seq[Route] {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Route, 0, len(s.routes))
	for _, r := range s.routes {
		out = append(out, r.clone())
	}
	return slices.Values(out)
}

// AddRoute makes a route, or replaces the one of the same source and group in place, without a gap. Errors that no
// system call is made for: ErrAddress, ErrLinkLocal, ErrNoVIF, ErrLoop, ErrTTL.
func (s *Socket) AddRoute(r Route) error {
	key, err := r.plain()
	if err != nil {
		return fault("add route", r.SG, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	out, err := r.check(s.vifs.registered())
	if err == nil {
		err = meaning{syscall.ENFILE: ErrNoVIF}.explain(s.kernel.addMFC(key, r.In, &out))
	}
	if err != nil {
		return fault("add route", key, err)
	}
	s.forget(key)
	r = r.clone()
	r.SG = key
	s.routes[key] = r
	s.vifs.use(r.vifs(), 1)
	return nil
}

// DelRoute deletes a route. One that the kernel does not have, or has no more, counts as deleted.
func (s *Socket) DelRoute(k SG) error {
	key, err := k.plain()
	if err != nil {
		return fault("delete route", k, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.kernel.delMFC(key); err != nil && !errors.Is(err, syscall.ENOENT) {
		return fault("delete route", key, meaning{}.explain(err))
	}
	s.forget(key)
	return nil
}

// forget takes a route out of the books.
func (s *Socket) forget(key SG) {
	if old, ok := s.routes[key]; ok {
		s.vifs.use(old.vifs(), -1)
		delete(s.routes, key)
	}
}

// RouteCounters reads a route's counters. ErrNoRoute means that the kernel has no such route, or has lost it.
func (s *Socket) RouteCounters(k SG) (RouteCounters, error) {
	key, err := k.plain()
	if err != nil {
		return RouteCounters{}, fault("count route", k, err)
	}
	c, err := s.kernel.routeCounters(key)
	if err != nil {
		return RouteCounters{}, fault("count route", key, meaning{syscall.EADDRNOTAVAIL: ErrNoRoute}.explain(err))
	}
	return c, nil
}

// Read waits for the kernel's next message until ctx ends. What cannot be read is counted and left out. One goroutine
// reads at a time, others wait; messages come in the kernel's order.
func (s *Socket) Read(ctx context.Context) (Message, error) {
	select {
	case s.reading <- struct{}{}:
		defer func() { <-s.reading }()
	case <-ctx.Done():
		return nil, fault("read", "", ctx.Err())
	}
	for {
		n, err := s.kernel.read(ctx, s.buffer)
		if err != nil {
			return nil, fault("read", "", err)
		}
		if m := s.parse(s.buffer[:n]); m != nil {
			return m, nil
		}
	}
}

func (s *Socket) parse(b []byte) Message {
	m, err := ParseMessage(b, vifSet(s.registered.Load()).has)
	switch {
	case errors.Is(err, ErrNoVIF):
		s.unknownVIF.Add(1)
	case err != nil:
		s.malformed.Add(1)
	}
	return m
}
