package mroute

import (
	"errors"
	"os"
	"syscall"
)

// adoptKernel copies the descriptor of a file, if it is the router of a table: such a one can change its table no more.
func adoptKernel(file *os.File, cfg Config) (kernel, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	fd, err := duplicate(file)
	if err != nil {
		return nil, err
	}
	err = setInt(fd, mrtTable, int(cfg.table()))
	if errors.Is(err, syscall.EBUSY) {
		err = syscall.SetNonblock(fd, true) // running a child with a file makes it blocking
	} else {
		err = errors.Join(ErrNotOwner, os.NewSyscallError("MRT_TABLE", err))
	}
	if err != nil {
		_ = syscall.Close(fd)
		return nil, err
	}
	return newRoutingSocket(fd, cfg)
}

func duplicate(file *os.File) (int, error) {
	raw, err := file.SyscallConn()
	if err != nil {
		return -1, err
	}
	var fd uintptr
	var errno syscall.Errno
	if raw.Control(func(old uintptr) {
		fd, _, errno = syscall.Syscall(syscall.SYS_FCNTL, old, syscall.F_DUPFD_CLOEXEC, 0)
	}) != nil {
		return -1, os.ErrClosed
	}
	if errno != 0 {
		return -1, os.NewSyscallError("fcntl", errno)
	}
	return int(fd), nil
}

func (s *routingSocket) file() (*os.File, error) {
	fd, err := duplicate(s.f)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), "multicast routing"), nil
}
