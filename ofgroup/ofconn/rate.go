package ofconn

import "time"

// Rate bounds how often something happens. The zero value is no bound.
type Rate struct {
	PerSecond int // on average
	Burst     int // how many at once; what is less than 1 is 1
}

// meter measures a Rate, or a longer period. It has no clock. It is not safe for
// concurrent use.
type meter struct {
	every time.Duration // 0 does not bound
	burst int
	next  time.Time // when one more would come if all had kept their distance
}

func newMeter(r Rate) meter {
	if r.PerSecond <= 0 {
		return meter{}
	}
	return meter{every: max(time.Second/time.Duration(r.PerSecond), 1), burst: max(r.Burst, 1)}
}

// wait is how long to wait until one more may be, 0 for now.
func (m *meter) wait(now time.Time) time.Duration {
	earliest := m.next.Add(-time.Duration(m.burst-1) * m.every)
	return max(earliest.Sub(now), 0)
}

// take counts one, or returns false if it would be too many.
func (m *meter) take(now time.Time) bool {
	if m.every == 0 {
		return true
	}
	if m.wait(now) > 0 {
		return false
	}
	if m.next.Before(now) {
		m.next = now
	}
	m.next = m.next.Add(m.every)
	return true
}

// full reports whether the meter is as if nothing had ever been counted.
func (m *meter) full(now time.Time) bool { return !m.next.After(now) }
