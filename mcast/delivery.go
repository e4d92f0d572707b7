package mcast

// delivery is what a sink knows of a group, and what it has still to be told.
type delivery[M comparable] struct {
	sink  *sink[M]
	group *group[M]
	next  *delivery[M] // of the group, to another sink

	prev    tree[M] // of the last success
	told    uint64  // the group's version of the last success
	hasPrev bool
	touched bool // handed to the sink at least once
	force   bool // to be handed over even if nothing has changed
	inRound bool // the round waits for it
	busy    bool // in a worker

	failures int32   // in a row, see setFailures
	inHeap   int32   // place in sink.later
	began    instant // the call under way
	at       instant // when the next call is due
	notUntil instant // MinInterval
	waits    links[*delivery[M]]
}

func (d *delivery[M]) due() instant                { return d.at }
func (d *delivery[M]) place() *int32               { return &d.inHeap }
func (d *delivery[M]) links() *links[*delivery[M]] { return &d.waits }

// pending says that the sink has something to hear.
func (d *delivery[M]) pending() bool { return d.force || d.told != d.group.version }

// unseen says that the group is gone before the sink was handed it.
func (d *delivery[M]) unseen() bool {
	return d.group.tree.n == 0 && !d.touched && !d.busy
}

// touch notes that sinks can see a change of the group.
func (c *Cache[M]) touch(g *group[M]) {
	g.version++
	for _, s := range c.sinks {
		d := g.delivery(s)
		if d == nil && g.tree.n > 0 {
			d = g.addDelivery(s)
		}
		if d != nil {
			c.schedule(d)
		}
	}
	c.sweep(g)
}

func (g *group[M]) delivery(s *sink[M]) *delivery[M] {
	d := g.sinks
	for d != nil && d.sink != s {
		d = d.next
	}
	return d
}

func (g *group[M]) addDelivery(s *sink[M]) *delivery[M] {
	d := &delivery[M]{sink: s, group: g, notUntil: stopped}
	last := &g.sinks
	for *last != nil {
		last = &(*last).next
	}
	*last = d
	return d
}

func (g *group[M]) removeDelivery(d *delivery[M]) {
	at := &g.sinks
	for *at != d {
		at = &(*at).next
	}
	*at = d.next
}

// sweep drops a group that is empty and that no sink has to hear of.
func (c *Cache[M]) sweep(g *group[M]) {
	if g.tree.n == 0 && g.sinks == nil {
		delete(c.groups, g.key)
	}
}

// schedule queues a delivery for when it is due, drops it if there is nothing
// left to tell, and leaves it alone while it is in a worker.
func (c *Cache[M]) schedule(d *delivery[M]) {
	switch {
	case d.busy:
		return
	case d.unseen(), d.group.tree.n == 0 && d.hasPrev && d.prev.n == 0 && !d.force:
		c.discard(d)
		return
	case !d.pending() || d.waits.in || d.inHeap != 0:
		return
	}
	c.news = true
	if d.failures == 0 {
		d.at = d.notUntil
	}
	if d.at <= c.now {
		d.sink.ready(d)
	} else {
		d.sink.later.update(d)
	}
}

// unqueue takes a delivery out of wherever it waits.
func (d *delivery[M]) unqueue() {
	if d.busy {
		return
	}
	d.sink.queue(d).remove(d)
	d.sink.later.remove(d)
}

// discard forgets what a sink knows of a group.
func (c *Cache[M]) discard(d *delivery[M]) {
	d.unqueue()
	d.setFailures(0)
	d.handed()
	d.group.removeDelivery(d)
	c.news = true // the round may be over
}

// setFailures sets how many calls in a row have failed.
func (d *delivery[M]) setFailures(n int32) {
	d.sink.failing += int(one(n > 0)) - int(one(d.failures > 0))
	d.failures = n
}

// handed notes that the round need not wait for this group any more.
func (d *delivery[M]) handed() {
	if d.inRound {
		d.inRound = false
		d.sink.round.waiting--
	}
}
