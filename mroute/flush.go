package mroute

import (
	"errors"
	"syscall"
)

// Flush names what Socket.Flush removes; they can be added up.
type Flush uint8

// What there is to be flushed (MRT_FLUSH_*). Static ones were made by others than the owner of the table.
const (
	FlushRoutes       Flush = 1
	FlushStaticRoutes Flush = 2
	FlushVIFs         Flush = 4
	FlushStaticVIFs   Flush = 8
)

const flushAll = FlushRoutes | FlushStaticRoutes | FlushVIFs | FlushStaticVIFs

// Flush removes many entries at once, those of others too. Routes that are left keep naming VIFs that are gone, and their
// numbers are not given out again before those routes are replaced or deleted. Error: errors.ErrUnsupported before
// Linux 5.1.
func (s *Socket) Flush(what Flush) error {
	if what == 0 || what&^flushAll != 0 {
		return fault("flush", "", syscall.EINVAL)
	}
	if err := s.lock(); err != nil {
		return fault("flush", "", err)
	}
	defer s.mu.Unlock()
	if err := s.kernel.flush(what); err != nil {
		return fault("flush", "", meaning{syscall.ENOPROTOOPT: errors.ErrUnsupported}.explain(err))
	}
	if what&FlushRoutes != 0 {
		clear(s.routes)
		s.vifs.users = [MaxVIFs]int{}
	}
	if what&FlushVIFs != 0 {
		for v := range VIF(MaxVIFs) {
			s.setVIF(v, 0)
		}
	}
	return nil
}
