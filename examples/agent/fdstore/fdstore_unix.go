//go:build unix

package fdstore

import (
	"errors"
	"net"
	"os"
	"syscall"
)

// rights is the control message that carries a descriptor.
func rights(fd uintptr) []byte { return syscall.UnixRights(int(fd)) }

// send writes one message with its control message; package net does it for sockets without a peer only.
func send(c *net.UnixConn, text, oob []byte) error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	var sent error
	err = raw.Write(func(fd uintptr) bool {
		sent = syscall.Sendmsg(int(fd), text, oob, nil, 0)
		return sent != syscall.EAGAIN
	})
	return errors.Join(err, sent)
}

// inherited is the file of a descriptor that this process was started with; nil if there is none.
func inherited(fd int, name string) *os.File {
	syscall.CloseOnExec(fd)
	var st syscall.Stat_t
	if syscall.Fstat(fd, &st) != nil {
		return nil // it is not open
	}
	return os.NewFile(uintptr(fd), name)
}
