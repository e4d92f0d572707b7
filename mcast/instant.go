package mcast

import (
	"math"
	"time"
)

// instant is a time in nanoseconds since the first time that the cache was
// given: 8 bytes in each timer instead of 24. Differences are taken by
// time.Time, so that monotonic readings are used where both sides have them.
type instant int64

const (
	// stopped is before every time: a timer that does not run.
	stopped instant = math.MinInt64
	// never is after every time.
	never instant = math.MaxInt64
)

// after is i+d, and never if that cannot be told.
func (i instant) after(d time.Duration) instant {
	if i > never-instant(max(d, 0)) {
		return never
	}
	return i + instant(d)
}

// seconds are the whole seconds of an instant, 68 years at most.
func seconds(i instant) int32 {
	return int32(min(max(time.Duration(i)/time.Second, math.MinInt32), math.MaxInt32))
}

// clock turns times into instants and back.
type clock struct {
	base time.Time
}

func (c *clock) in(t time.Time) instant {
	if c.base.IsZero() {
		c.base = t
	}
	// The two ends have meanings of their own.
	return min(max(instant(t.Sub(c.base)), stopped+1), never-1)
}

func (c *clock) out(i instant) time.Time { return c.base.Add(time.Duration(i)) }
