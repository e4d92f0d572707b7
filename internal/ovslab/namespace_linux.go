package ovslab

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// unshareNet makes a network namespace and returns the only thing that keeps it.
func unshareNet() (*os.File, error) {
	var file *os.File
	err := onThrowawayThread(func() (err error) {
		if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
			if errors.Is(err, unix.EPERM) {
				err = fmt.Errorf("%w: %w", ErrNoNamespaces, err)
			}
			return err
		}
		file, err = os.Open("/proc/thread-self/ns/net")
		return err
	})
	return file, err
}

// doInNet calls f on a thread in the namespace.
func doInNet(namespace *os.File, f func() error) error {
	raw, err := namespace.SyscallConn()
	if err != nil {
		return err
	}
	return onThrowawayThread(func() error {
		var entered error
		if err := raw.Control(func(fd uintptr) { entered = unix.Setns(int(fd), unix.CLONE_NEWNET) }); err != nil {
			return fmt.Errorf("enter namespace: %w", os.ErrClosed)
		}
		if entered != nil {
			return fmt.Errorf("enter namespace: %w", entered)
		}
		return f()
	})
}

// onThrowawayThread calls f on a thread that runs nothing else, neither at the
// same time nor later: the goroutine ends without giving the thread back, so
// that no other goroutine finds itself in another namespace.
func onThrowawayThread(f func() error) error {
	done := make(chan error, 1)
	go func() {
		err := errGoexit
		defer func() { done <- err }()
		runtime.LockOSThread()
		if unix.Gettid() == unix.Getpid() {
			// The main thread cannot be thrown away, and the whole process would
			// seem to be in its namespace. While we hold it, others get others.
			defer runtime.UnlockOSThread()
			err = onThrowawayThread(f)
			return
		}
		err = f()
	}()
	return <-done
}

// errGoexit stands for the result of a function that ended its goroutine
// instead of returning, as a failed assertion of package testing does.
var errGoexit = errors.New("ovslab: the function called runtime.Goexit")
