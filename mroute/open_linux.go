package mroute

import (
	"errors"
	"os"
	"syscall"
)

func openKernel(cfg Config) (kernel, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_RAW|syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK, syscall.IPPROTO_IGMP)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	if err := claim(fd, cfg); err != nil {
		_ = syscall.Close(fd)
		return nil, err
	}
	return newRoutingSocket(fd, cfg)
}

// newRoutingSocket owns fd, whatever comes of it.
func newRoutingSocket(fd int, cfg Config) (kernel, error) {
	// More room for upcalls than a socket has by default: what is lost is asked again, but only with the next packet.
	_ = syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_RCVBUFFORCE, cfg.readBuffer())
	f := os.NewFile(uintptr(fd), "multicast routing")
	reader, err := openTableReader(cfg.table())
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &routingSocket{tableReader: reader, f: f, fd: fd}, nil
}

// claim makes fd the router of its table.
func claim(fd int, cfg Config) error {
	if cfg.table() != rtDefault {
		if err := setInt(fd, mrtTable, int(cfg.Table)); err != nil {
			return os.NewSyscallError("MRT_TABLE", err)
		}
	}
	if err := setInt(fd, mrtInit, 1); err != nil {
		return os.NewSyscallError("MRT_INIT", err)
	}
	// Without one of these no WrongVIF comes. MRT_ASSERT gives it only where the packet came in at an outgoing VIF; a
	// kernel that has neither leaves the counters of wrong packets.
	err := setInt(fd, mrtPIM, 1)
	if errors.Is(err, syscall.ENOPROTOOPT) {
		err = setInt(fd, mrtAssert, 1)
	}
	if errors.Is(err, syscall.ENOPROTOOPT) {
		err = nil
	}
	return os.NewSyscallError("MRT_PIM", err)
}
