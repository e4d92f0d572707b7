package mroute

import (
	"slices"
)

// link is an interface that is there, or has vanished.
type link struct {
	index IfIndex
	name  string
	gone  bool
}

// linkEvent tells of interfaces. A complete one names all that there are.
type linkEvent struct {
	links    []link
	complete bool
}

// linkChange takes in what is known of interfaces.
func (c *core) linkChange(e linkEvent) {
	there := make(map[IfIndex]bool, len(e.links))
	for _, l := range e.links {
		there[l.index] = !l.gone
		if l.gone {
			c.linkGone(l.index)
		}
	}
	if e.complete {
		for index := range c.names {
			if !there[index] {
				c.linkGone(index)
			}
		}
	}
	for _, l := range e.links {
		if there[l.index] {
			c.linkThere(l)
		}
	}
	if e.complete && !c.adopted {
		c.adopted = true
		c.adopt()
	}
}

// linkThere takes in an interface that is there, perhaps since long, perhaps under another name.
func (c *core) linkThere(l link) {
	if c.names[l.index] == l.name {
		return
	}
	c.linkGone(l.index)
	if old, ok := c.links[l.name]; ok {
		c.linkGone(old)
	}
	c.links[l.name], c.names[l.index] = l.index, l.name
	c.listen()
	for _, f := range c.flows {
		if f.leavesAt(l.name) {
			_ = c.settle(f)
		}
	}
}

// linkGone ends what depends on an interface. The kernel has dropped its VIF, but still has it in the routes: these are
// changed first, and until they are the Socket does not give the number out again.
func (c *core) linkGone(index IfIndex) {
	name, known := c.names[index]
	if !known {
		return
	}
	delete(c.names, index)
	delete(c.links, name)
	for _, f := range c.flows {
		switch {
		case f.in == name:
			_ = c.remove(f)
		case slices.Contains(f.out, name):
			_ = c.install(f)
		}
	}
	if v, ok := c.sock.VIFOf(index); ok {
		if err := c.sock.DelVIF(v); err != nil {
			c.stats.Failed++
			c.log.Warn("delete the VIF of an interface that vanished", "interface", name, "vif", v, "err", err)
		}
	}
}

// leavesAt says whether the flow is meant to leave at an interface.
func (f *flow) leavesAt(name string) bool {
	return slices.ContainsFunc(f.decision.Out, func(o Out) bool { return o.Interface == name })
}

// listen gives each input that is there its VIF, and its way to the table. What fails is tried again with the next tick.
func (c *core) listen() {
	for _, name := range c.cfg.Inputs {
		index, exists := c.links[name]
		if !exists {
			continue
		}
		_, err := c.vif(index)
		if err == nil {
			err = c.sock.AddRule(name)
		}
		if err != nil {
			c.stats.Failed++
			c.log.Warn("no multicast from this interface", "interface", name, "err", err)
		}
	}
}
