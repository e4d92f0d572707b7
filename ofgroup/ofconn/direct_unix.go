//go:build unix

package ofconn

import (
	"net"
	"syscall"
)

// direct writes to a socket what it takes at once, and never waits.
type direct struct {
	raw     syscall.RawConn
	attempt func(fd uintptr) bool // made once, for each would be an allocation
	bytes   []byte
	n       int
}

// newDirect is nil for what is more than a socket: its own Write must see all the bytes.
func newDirect(conn net.Conn) *direct {
	var socket syscall.Conn
	switch c := conn.(type) {
	case *net.UnixConn:
		socket = c
	case *net.TCPConn:
		socket = c
	default:
		return nil
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return nil
	}
	d := &direct{raw: raw}
	d.attempt = func(fd uintptr) bool {
		d.n, _ = syscall.Write(int(fd), d.bytes)
		return true // whatever came of it
	}
	return d
}

// write returns how much of b was written. Whoever writes the rest will meet the error, if
// that is why there is one. One write at a time.
func (d *direct) write(b []byte) int {
	if len(b) == 0 {
		return 0
	}
	d.bytes, d.n = b, 0
	_ = d.raw.Write(d.attempt)
	d.bytes = nil
	return max(d.n, 0)
}
