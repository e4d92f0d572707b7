package igmpconn

import (
	"errors"
	"fmt"
	"net"

	"golang.org/x/sys/unix"
)

// explain puts the errors of closed sockets and of interfaces into words, and keeps the kernel's number.
func (c *conn) explain(err error) error {
	switch {
	case err == nil:
		return nil
	case c.closed.Load(): // packages os and net have different errors for it
		return net.ErrClosed
	case errors.Is(err, unix.ENETDOWN):
		return fmt.Errorf("%w: %w", ErrDown, unix.ENETDOWN)
	case errors.Is(err, unix.ENODEV), errors.Is(err, unix.ENXIO):
		return fmt.Errorf("%w: %w", ErrGone, unix.ENODEV)
	}
	return err
}

// gone says that the interface was deleted: the kernel unties the socket from it then.
func (c *conn) gone() (gone bool) {
	_ = c.raw.Control(func(fd uintptr) { // whether it is closed the next call tells
		sa, err := unix.Getsockname(int(fd))
		ll, ok := sa.(*unix.SockaddrLinklayer)
		gone = err == nil && ok && ll.Ifindex != c.index
	})
	return gone
}

// up says that the interface is up. It may have another name by now.
func (c *conn) up() (up bool) {
	_ = c.raw.Control(func(fd uintptr) {
		var r unix.Ifreq
		r.SetUint32(uint32(c.index))
		if unix.IoctlIfreq(int(fd), unix.SIOCGIFNAME, &r) == nil && unix.IoctlIfreq(int(fd), unix.SIOCGIFFLAGS, &r) == nil {
			up = r.Uint16()&unix.IFF_UP != 0
		}
	})
	return up
}
