package mcast

// look ends what has ended of a record at the time now, and queues a query
// that is due.
func (c *Cache[M]) look(rec *record[M], now instant) {
	f := rec.load(c.state)
	c.state = f.sources
	why := f.settle(c.asOf(now))
	if !c.adopt(rec, f, why) {
		return
	}
	if rec.x != nil && rec.x.query.due() <= now {
		c.enqueue(rec, now)
	}
	rec.wake = c.nextLook(rec, now)
	if rec.wake == never {
		c.timers.remove(rec)
		return
	}
	c.timers.update(rec)
}

// reschedule sees to it that a record is looked at in time after its timers
// were set. Later timers leave its place in the heap alone: it is moved when
// it comes up. That is what makes a refresh cheap.
func (c *Cache[M]) reschedule(rec *record[M]) {
	next := c.nextLook(rec, c.now)
	if next >= rec.wake {
		return
	}
	rec.wake = next
	c.timers.update(rec)
	if c.timers.first() == rec {
		c.news = true
	}
}

// nextLook is when the first of a record's timers ends.
func (c *Cache[M]) nextLook(rec *record[M], now instant) instant {
	a, next := c.asOf(now), never
	if rec.timer != stopped {
		next = a.look(rec.timer, rec.x != nil && rec.x.leaving)
	}
	if rec.x == nil {
		return next
	}
	for _, s := range rec.x.sources {
		if s.deadline != stopped {
			next = min(next, a.look(s.deadline, s.leaving))
		}
	}
	return min(next, rec.x.query.due())
}
