package mcast

import "time"

// hold keeps memberships from ending.
type hold struct {
	aging    bool          // by silence
	frozen   bool          // by silence or by leaves
	released bool          // until the next advance, which knows the time
	grace    time.Duration // what every timer has left after it: the longest while it holds
	floor    instant       // silence ends nothing before it
	thaw     instant       // end of the last freeze; never while there is one
}

// HoldAging says, with true, that silence means nothing for now: queries cannot
// be sent, or reports cannot arrive. With false, which counts from the next
// Advance on, silence ends memberships again, but each has QRI + 1 s left at
// least, so that a general query can be answered first. Leaves, removals and
// the timers of a check that is under way are not held.
func (c *Cache[M]) HoldAging(on bool) {
	c.mu.Lock()
	c.hold.set(on, c.hold.frozen, c.grace())
	c.mu.Unlock()
	c.notify()
}

// Freeze says, with true, that memberships come but do not go: as with
// HoldAging silence ends none, and a leave ends none either, be it new or being
// checked. What still does is RemoveMember, RemoveOwner, ExpireUnconfirmed, and
// the leave of a static owner. With false it ends as HoldAging does: who has
// left meanwhile is found by his silence.
func (c *Cache[M]) Freeze(on bool) {
	c.mu.Lock()
	c.hold.set(c.hold.aging, on, c.grace())
	c.mu.Unlock()
	c.notify()
}

func (h *hold) on() bool { return h.aging || h.frozen }

// lasts says that silence ends nothing, whenever that is.
func (h *hold) lasts() bool { return h.on() || h.released }

func (h *hold) set(aging, frozen bool, grace time.Duration) {
	was := h.lasts()
	if !was {
		h.grace = grace
	}
	h.aging, h.frozen = aging, frozen
	h.released = was && !h.on()
	if frozen {
		h.thaw = never
	}
}

// lengthen takes in another grace. A hold keeps its longest one: hosts may still
// be answering a query that gave them so long, and records are to be looked at
// no later than that says.
func (h *hold) lengthen(grace time.Duration) {
	if h.lasts() {
		h.grace = max(h.grace, grace)
	}
}

func (h *hold) advance(now instant) {
	if h.released {
		h.released = false
		h.floor = max(h.floor, now.after(h.grace))
	}
	if !h.frozen && h.thaw == never {
		h.thaw = now
	}
}

// grace is what every timer has left after a hold.
func (c *Cache[M]) grace() time.Duration { return c.timing.QRI + time.Second }

// asOf is the cache seen at one time: what has ended by then.
type asOf struct {
	now   instant
	floor instant // silence ends nothing before it
	thaw  instant // leaves whose time was up by then neither
}

func (c *Cache[M]) asOf(now instant) asOf {
	floor := c.hold.floor
	if c.hold.lasts() {
		floor = max(floor, max(now, c.now).after(c.hold.grace))
	}
	return asOf{now, floor, c.hold.thaw}
}

// end is when a timer ends in truth. Only a freeze concerns timers that a
// leave has lowered.
func (a asOf) end(deadline instant, leaving bool) instant {
	if leaving && deadline > a.thaw || deadline == stopped {
		return deadline
	}
	return max(deadline, a.floor)
}

// look is when to look at a timer: at its end, but also when it would end
// without a freeze, which may be over by then.
func (a asOf) look(deadline instant, leaving bool) instant {
	if leaving && deadline > a.now {
		return deadline
	}
	return a.end(deadline, leaving)
}

func (a asOf) ended(deadline instant, leaving bool) bool { return a.end(deadline, leaving) <= a.now }

// extend writes into a state what a hold has made of its timers, for a report
// that works on them. A leave that a freeze has held up is forgotten.
func (a asOf) extend(f *filterState) {
	if a.now >= a.floor {
		return
	}
	a.extendTimer(&f.timer, &f.leaving)
	for i := range f.sources {
		a.extendTimer(&f.sources[i].deadline, &f.sources[i].leaving)
	}
}

func (a asOf) extendTimer(deadline *instant, leaving *bool) {
	if end := a.end(*deadline, *leaving); end > *deadline {
		*deadline, *leaving = end, false
	}
}

// SetTiming changes the protocol's timing for timers that are started from
// now on; those that run keep their end.
func (c *Cache[M]) SetTiming(t Timing) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timing = newTiming(t)
	c.hold.lengthen(c.grace())
}
