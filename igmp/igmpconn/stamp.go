package igmpconn

import (
	"encoding/binary"
	"time"
)

// control is what the kernel says about a frame: a tag that it took off, and when it came.
type control struct {
	tag   tag
	stamp time.Time // zero if it does not say
}

// stampSize is the size of struct __kernel_timespec: seconds and nanoseconds, in the host's byte order.
const stampSize = 16

func readStamp(b []byte) time.Time {
	if len(b) < stampSize {
		return time.Time{}
	}
	return time.Unix(int64(binary.NativeEndian.Uint64(b)), int64(binary.NativeEndian.Uint64(b[8:])))
}

// at is when the frame came, by the clock of now, which is when it is read. The kernel's time is of the wall clock: only
// how long the frame has waited is taken from it, so that a clock which is set moves no timers.
func (a control) at(now time.Time) time.Time {
	if a.stamp.IsZero() {
		return now
	}
	waited := now.Round(0).Sub(a.stamp)
	return now.Add(-min(max(waited, 0), maxWait))
}

// maxWait is more than a frame waits for a reader that is alive: more than that is a clock that was set.
const maxWait = time.Minute
