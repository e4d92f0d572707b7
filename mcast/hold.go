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

// asOf is the cache seen at one time: what has ended by then.
type asOf struct {
	now   instant
	floor instant // silence ends nothing before it
}

func (c *Cache[M]) asOf(now instant) asOf {
	if c.hold.on || c.hold.released {
		return asOf{now, max(now, c.now).after(c.grace())}
	}
	return asOf{now, c.hold.floor}
}

// end is when a timer ends in truth. A hold does not concern timers that a
// leave has lowered.
func (a asOf) end(deadline instant, leaving bool) instant {
	if leaving || deadline == stopped {
		return deadline
	}
	return max(deadline, a.floor)
}

func (a asOf) ended(deadline instant, leaving bool) bool { return a.end(deadline, leaving) <= a.now }

// extend writes into a record what a hold has made of its timers, for a report
// that works on them.
func (a asOf) extend(timer *instant, leaving bool, sources []source) {
	if a.now >= a.floor {
		return
	}
	*timer = a.end(*timer, leaving)
	for i := range sources {
		s := &sources[i]
		s.deadline = a.end(s.deadline, s.leaving)
	}
}

// SetTiming changes the protocol's timing for timers that are started from
// now on; those that run keep their end.
func (c *Cache[M]) SetTiming(t Timing) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timing = newTiming(t)
}
