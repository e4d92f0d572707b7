//go:build unix

package side

import (
	"syscall"
	"time"
)

// CPUTime is how long this process has been on a processor, garbage collection included: what it had to wait for others
// on a busy machine does not count.
func CPUTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // the argument is a constant
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
