package mroute

import (
	"context"
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
)

// Socket is the router of one multicast routing table of the kernel. It keeps books of the VIFs and routes that it
// made, which is how it refuses what the kernel would take silently. Its methods may be called by any goroutine.
type Socket struct {
	kernel kernel
	table  uint32
	once   sync.Once
	ending error // of the one who ended it

	// mu orders the changes: books and kernel must see them in the same order, so it is held across the system call.
	// Readers never take it.
	mu     sync.Mutex
	ended  bool
	vifs   vifTable
	routes map[mfcKey]entry
	rules  map[fibRule]bool // that AddRule made

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
	s := newSocket(k)
	s.table = cfg.table()
	return s, nil
}

func newSocket(k kernel) *Socket {
	const largest = 1 << 16
	return &Socket{
		kernel:  k,
		table:   rtDefault,
		routes:  make(map[mfcKey]entry),
		rules:   make(map[fibRule]bool),
		reading: make(chan struct{}, 1),
		buffer:  make([]byte, largest),
	}
}

// Close ends the routing: the kernel drops all VIFs, routes and rules of the socket at once, and another may open the table.
// Calls under way and later ones end with os.ErrClosed. Closing again does nothing, and returns when the first has ended;
// nor does closing after Handover.
func (s *Socket) Close() error {
	s.end(func() error { return errors.Join(s.dropRules(), s.kernel.close()) })
	return fault("close", "", s.ending)
}

// end does what ends the Socket, once. Nothing is changed meanwhile or later: once the table has no owner any more, whoever
// has the right to may change it, and that would stay.
func (s *Socket) end(how func() error) {
	s.once.Do(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.ended = true
		s.ending = how()
	})
}

// lock is for what changes something. The caller unlocks, unless there was an error.
func (s *Socket) lock() error {
	s.mu.Lock()
	if s.ended {
		s.mu.Unlock()
		return os.ErrClosed
	}
	return nil
}

// Table is the number of the multicast routing table.
func (s *Socket) Table() uint32 { return s.table }

// Version is the kernel's version of multicast routing (MRT_VERSION), 0x0305 since long.
func (s *Socket) Version() (int, error) {
	v, err := s.kernel.version()
	return v, fault("ask the version", "", err)
}

// Stats are the counters of what Read left out.
func (s *Socket) Stats() Stats {
	return Stats{Malformed: s.malformed.Load(), UnknownVIF: s.unknownVIF.Load()}
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
