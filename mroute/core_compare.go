package mroute

import (
	"errors"
	"slices"
	"time"
)

// look asks the kernel for its VIFs and routes, and gives it back the VIFs that it has lost. What it cannot tell is asked
// for route by route.
func (c *core) look() map[SG]*KernelRoute {
	vifs, routes, err := c.sock.snapshot()
	if err != nil {
		if !errors.Is(err, errors.ErrUnsupported) {
			c.stats.Failed++
			c.log.Warn("list the multicast routes", "err", err)
		}
		return nil
	}
	for i, v := range c.sock.numbers() {
		name, there := c.names[i]
		if !there || slices.ContainsFunc(vifs, func(k KernelVIF) bool { return k.Port == Port{v, i} }) {
			continue
		}
		c.log.Info("the kernel had lost a VIF", "vif", v, "interface", name)
		if err := c.sock.regain(v); err != nil {
			c.stats.Failed++
			c.log.Warn("make a lost VIF again", "vif", v, "interface", name, "err", err)
		}
	}
	have := make(map[SG]*KernelRoute, len(routes))
	for n := range routes {
		have[routes[n].SG] = &routes[n]
	}
	return have
}

// compare books the flow's counters, and finds out whether the kernel has the flow's entry as it was made. What a dump
// does not have may be there all the same.
func (c *core) compare(f *flow, have *KernelRoute, now time.Time) error {
	if have == nil || have.Unresolved {
		_, err := c.count(f, now)
		return err
	}
	c.counted(f, have.Counters, now)
	if !f.pending && !c.sock.agrees(have) {
		c.tampered(f, have)
	}
	return nil
}

// tampered gives an entry that somebody else has replaced its shape back. One that was made by others would stay when the
// Socket is closed, so it is made anew.
func (c *core) tampered(f *flow, have *KernelRoute) {
	c.stats.Lost++
	c.log.Info("a multicast route was changed by somebody else", "route", f.SG, "in", f.in)
	f.pending = true
	if have.Static {
		if err := c.sock.DelRoute(f.SG); err != nil {
			_ = c.failed(f, err)
			return
		}
	}
	_ = c.install(f)
}

// count reads a flow's counters.
func (c *core) count(f *flow, now time.Time) (RouteCounters, error) {
	counters, err := c.sock.RouteCounters(f.SG)
	if err == nil {
		c.counted(f, counters, now)
	}
	return counters, err
}

// counted books counters, and sees whether there were packets at the flow's own interface. On 32-bit systems some
// counters have 32 bits and some 64.
func (c *core) counted(f *flow, counters RouteCounters, now time.Time) {
	if uint32(counters.Good()) != uint32(f.counters.Good()) {
		f.goodAt = now
	}
	f.counters = counters
}

// recount books the counters of all flows.
func (c *core) recount(now time.Time) {
	_, routes, _ := c.sock.snapshot()
	for _, k := range routes {
		if f := c.flows[k.SG]; f != nil && !k.Unresolved {
			c.counted(f, k.Counters, now)
		}
	}
}

// lost books that the kernel's entry is gone, and its counters with it.
func (c *core) lost(f *flow) {
	c.stats.Lost++
	f.counters = RouteCounters{}
	c.log.Info("the kernel had lost a multicast route", "route", f.SG, "in", f.in)
}

// change hears that an entry of the kernel was made, replaced or deleted. Mostly the Router did it, and what is told is
// the past: so the kernel is asked. If it was somebody else then all is looked after, now.
func (c *core) change(e routeEvent, now time.Time) {
	if e.missed {
		c.nextTick = earlier(c.nextTick, now.Add(missedPause))
		return
	}
	f := c.flows[e.SG]
	if f == nil || f.pending || e.Unresolved || !e.Deleted && c.sock.agrees(&e.KernelRoute) {
		return
	}
	if c.stands(f) {
		return
	}
	at := c.lastTick.Add(leastTick)
	if at.Before(now) {
		at = now
	}
	c.nextTick = earlier(c.nextTick, at)
}

// stands asks the kernel whether it has the flow's entry as it was made.
func (c *core) stands(f *flow) bool {
	have := c.sock.ask(f.SG)
	return have != nil && c.sock.agrees(have)
}

// missedPause keeps a burst of changes from making dump after dump.
const missedPause = time.Second

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
