package ovslab

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// enlargeBuffers gives the sockets by which a switch receives from its ports as
// much room as ours have. By default they hold some 250 small packets, a tenth
// of a second of a fast stream, and the switch may wait longer than that for a
// processor of a busy machine; then packets are lost before it has seen them.
func enlargeBuffers(pidFile string) error {
	text, err := os.ReadFile(pidFile)
	if err != nil {
		return err
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return err
	}
	process, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return os.NewSyscallError("pidfd_open", err)
	}
	defer unix.Close(process)
	names, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	for _, name := range names {
		fd, _ := strconv.Atoi(filepath.Base(name))
		err = errors.Join(err, enlarge(process, fd))
	}
	return err
}

// enlarge does it to one file of a process, if it is a socket for frames.
func enlarge(process, fd int) error {
	socket, err := unix.PidfdGetfd(process, fd, 0)
	if errors.Is(err, unix.EBADF) {
		return nil // closed in the meantime
	}
	if err != nil {
		return os.NewSyscallError("pidfd_getfd", err)
	}
	defer unix.Close(socket)
	if domain, err := unix.GetsockoptInt(socket, unix.SOL_SOCKET, unix.SO_DOMAIN); err != nil || domain != unix.AF_PACKET {
		return nil
	}
	return intOption(socket, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, captureBuffer)
}
