package mcast

import "slices"

// delivery is what a sink knows of a group, and what it has still to be told.
type delivery[M comparable] struct {
	sink  *sink[M]
	group *group[M]

	prev    tree[M] // of the last success
	hasPrev bool
	told    uint64 // the group's version of the last success
	touched bool   // handed to the sink at least once
	force   bool   // to be handed over even if nothing has changed
	inRound bool   // the round waits for it
	busy    bool   // in a worker

	failures int     // in a row, see setFailures
	began    instant // the call under way
	at       instant // when the next call is due
	notUntil instant // MinInterval

	inHeap int32
	waits  links[*delivery[M]]
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
			d = &delivery[M]{sink: s, group: g, notUntil: stopped}
			g.sinks = append(g.sinks, d)
		}
		if d != nil {
			c.schedule(d)
		}
	}
	c.sweep(g)
}

func (g *group[M]) delivery(s *sink[M]) *delivery[M] {
	for _, d := range g.sinks {
		if d.sink == s {
			return d
		}
	}
	return nil
}

// sweep drops a group that is empty and that no sink has to hear of.
func (c *Cache[M]) sweep(g *group[M]) {
	if g.tree.n == 0 && len(g.sinks) == 0 {
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
	d.group.sinks = slices.DeleteFunc(d.group.sinks, func(x *delivery[M]) bool { return x == d })
	c.news = true // the round may be over
}

// setFailures sets how many calls in a row have failed.
func (d *delivery[M]) setFailures(n int) {
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
