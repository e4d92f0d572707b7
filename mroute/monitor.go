package mroute

import (
	"context"
	"errors"
	"syscall"
)

// Change is what the kernel tells of an entry that was made, replaced or deleted, by this Socket or by somebody else.
type Change struct {
	// Deleted tells an entry that is gone from one that is there now.
	Deleted bool
	KernelRoute
}

// ErrMissed: the kernel had more to tell than there was room for. Dump tells what has come of it.
var ErrMissed = errors.New("changes were missed")

// Monitor follows the entries of a Socket's table.
type Monitor struct {
	sock   *Socket
	source routeSource
}

// Monitor begins to follow the entries of the table, in the network namespace of the calling thread, which must be the
// Socket's. It needs no privileges, and has to be closed.
func (s *Socket) Monitor() (*Monitor, error) {
	source, err := s.kernel.watch()
	if err != nil {
		return nil, fault("watch routes", "", err)
	}
	return &Monitor{sock: s, source: source}, nil
}

// Next waits for the next change until ctx ends, in the kernel's order. VIF numbers are those of the Socket's own VIFs at
// the time of the call. The kernel tells neither of routes that lose an interface nor of VIFs. One goroutine calls it.
//
// Errors: ErrMissed, after which it goes on; that of ctx; os.ErrClosed.
func (m *Monitor) Next(ctx context.Context) (Change, error) {
	c, err := m.source.next(ctx)
	if err != nil {
		return Change{}, fault("watch routes", "", meaning{syscall.ENOBUFS: ErrMissed}.explain(err))
	}
	c.number(m.sock.numbers())
	return c, nil
}

// Close ends the Monitor, and a call of Next that waits.
func (m *Monitor) Close() error { return fault("close", "", m.source.close()) }
