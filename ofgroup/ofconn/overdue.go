package ofconn

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ofmcast/ofmcast/ofgroup/internal/deadline"
)

// A timer for each call would be most of what a call costs, and hardly any ever fires. So all
// calls of a session share one, an alarm that is set for the earliest of them: once it rings
// that one has usually long been answered, and it is set for the earliest of the rest. With
// calls that all have the same time it rings once in that time.

// never is later than any alarm.
const never = time.Duration(math.MaxInt64)

// alarm is a timer that is set to earlier times only, until it rings. Times are those since
// the session's birth.
type alarm struct {
	timer *time.Timer
	mu    sync.Mutex
	at    atomic.Int64
}

func newAlarm() *alarm {
	a := &alarm{timer: time.NewTimer(never)}
	a.at.Store(int64(never))
	return a
}

// setAlarm has the alarm ring at a time at the latest.
func (s *Session) setAlarm(at time.Duration) {
	a := s.alarm
	if int64(at) >= a.at.Load() {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if int64(at) < a.at.Load() {
		a.at.Store(int64(at))
		a.timer.Reset(at - time.Since(s.born))
	}
}

// endOverdue is for when the alarm rings: it ends the calls whose time is over.
func (s *Session) endOverdue() {
	s.alarm.at.Store(int64(never)) // before it looks: who comes after that sets it
	now := time.Since(s.born)
	next := s.ledger.endOverdue(now, fmt.Errorf("no answer in time: %w", context.DeadlineExceeded))
	s.setAlarm(next)
}

// limit gives a call its time, Config.Timeout if ctx has no deadline, and returns the context
// with whose end it ends as well.
func (s *Session) limit(ctx context.Context, c *call) context.Context {
	within, at, ok := deadline.Limit(ctx)
	if !ok {
		if _, has := ctx.Deadline(); has {
			c.until = never // its own timer will tell
			return ctx
		}
		at = time.Now().Add(s.cfg.Timeout)
	}
	c.until = at.Sub(s.born)
	return within
}
