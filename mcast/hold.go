package mcast

import "time"

// hold keeps silence from ending memberships while nobody can be asked.
type hold struct {
	on       bool
	released bool    // until the next advance, which knows the time
	floor    instant // silence ends nothing before it
}

// HoldAging says, with true, that silence means nothing for now: queries cannot
// be sent, or reports cannot arrive. With false, which counts from the next
// Advance on, silence ends memberships again, but each has QRI + 1 s left at
// least, so that a general query can be answered first. Leaves, removals and
// the timers of a check that is under way are not held.
func (c *Cache[M]) HoldAging(on bool) {
	c.mu.Lock()
	c.hold.released = c.hold.on && !on || c.hold.released && !on
	c.hold.on = on
	c.mu.Unlock()
	c.notify()
}

func (h *hold) advance(now instant, grace time.Duration) {
	if h.released {
		h.released = false
		h.floor = now.after(grace)
	}
}

// grace is what every timer has left after a hold.
func (c *Cache[M]) grace() time.Duration { return c.timing.QRI + time.Second }

// until is when a timer ends in truth, as seen at the time now.
func (c *Cache[M]) until(deadline instant, leaving bool, now instant) instant {
	switch {
	case leaving || deadline == stopped || deadline == never:
		return deadline
	case c.hold.on || c.hold.released:
		return max(deadline, max(now, c.now).after(c.grace()))
	default:
		return max(deadline, c.hold.floor)
	}
}

// extend writes into a record what the hold has made of its timers, for a
// report that works on them.
func (c *Cache[M]) extend(rec *record[M], now instant) {
	if !c.hold.on && !c.hold.released && now >= c.hold.floor {
		return
	}
	if rec.timer != stopped {
		rec.timer = c.until(rec.timer, rec.x != nil && rec.x.leaving, now)
	}
	if rec.x == nil {
		return
	}
	for i := range rec.x.sources {
		s := &rec.x.sources[i]
		s.deadline = c.until(s.deadline, s.leaving, now)
	}
}

// SetTiming changes the protocol's timing for timers that are started from
// now on; those that run keep their end.
func (c *Cache[M]) SetTiming(t Timing) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timing = t.withDefaults()
}
