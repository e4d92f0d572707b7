package mroute

import "time"

// adopt takes in the routes that the Socket had before, from a Router that handed it over: their streams make no upcalls.
// Those from interfaces that have vanished meanwhile end.
func (c *core) adopt() {
	c.sock.disown(func(i IfIndex) bool { return c.names[i] == "" })
	for r := range c.sock.Routes() {
		if r.Wildcard() {
			continue // somebody else's idea
		}
		in := c.nameOf(r.In)
		if in == "" {
			if err := c.sock.DelRoute(r.SG); err != nil {
				c.stats.Failed++
				c.log.Warn("delete the route from an interface that vanished", "route", r, "err", err)
			}
			continue
		}
		c.adoptRoute(r, in)
	}
	if c.cfg.KeepFor > 0 {
		c.keepUntil = c.started.Add(c.cfg.KeepFor)
	}
	c.recount(c.started)
	c.freeVIFs()
}

// adoptRoute makes the books of a route, and changes the entry only if it is not as the policy wants it.
func (c *core) adoptRoute(r Route, in string) {
	f := c.add(r.SG, c.started)
	f.in = in
	if c.cfg.KeepFor > 0 {
		for _, h := range r.Out {
			if name := c.nameOf(h.VIF); name != "" {
				f.kept = append(f.kept, Out{Interface: name, TTL: h.TTL})
			}
		}
	}
	_ = c.reconsider(f)
}

// nameOf is the interface of a VIF, or empty.
func (c *core) nameOf(v VIF) string {
	index, _ := c.sock.Interface(v)
	return c.names[index]
}

// unkeep ends the time when routes leave where they did before: now the policy alone counts.
func (c *core) unkeep(now time.Time) {
	if c.keepUntil.IsZero() || now.Before(c.keepUntil) {
		return
	}
	c.keepUntil = time.Time{}
	for _, f := range c.flows {
		if f.kept == nil {
			continue
		}
		f.kept = nil
		_ = c.reconsider(f)
	}
}
