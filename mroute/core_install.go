package mroute

import (
	"errors"
	"fmt"
	"slices"
)

// install gives the kernel the entry that the flow's decision asks for, whatever it has. A stream without a way out gets
// a negative entry.
func (c *core) install(f *flow) error {
	in, ok := c.sock.VIFOf(c.links[f.in])
	if !ok {
		return c.failed(f, fmt.Errorf("%w: %s", ErrNoVIF, f.in))
	}
	route := Route{SG: f.SG, In: in}
	var out []string
	var errs []error
	for _, o := range f.decision.Out {
		index, exists := c.links[o.Interface]
		if !exists || o.Interface == f.in || o.TTL == 255 || slices.Contains(out, o.Interface) {
			continue
		}
		v, err := c.vif(index)
		if err != nil {
			errs = append(errs, err) // the others get the stream all the same
			continue
		}
		route.Out = append(route.Out, Hop{VIF: v, TTL: o.TTL})
		out = append(out, o.Interface)
	}
	err := c.sock.AddRoute(route)
	if err == nil {
		f.out = out
	}
	c.freeVIFs()
	if err := errors.Join(append(errs, err)...); err != nil {
		return c.failed(f, err)
	}
	f.pending = false
	return nil
}

// vif finds the VIF of an interface, or makes it.
func (c *core) vif(i IfIndex) (VIF, error) {
	if v, ok := c.sock.VIFOf(i); ok {
		return v, nil
	}
	return c.sock.AddVIF(i)
}

// freeVIFs gives back the VIFs that are neither an input's nor named by a route.
func (c *core) freeVIFs() {
	for v := range c.sock.idle() {
		index, _ := c.sock.Interface(v)
		name, exists := c.names[index]
		if exists && slices.Contains(c.cfg.Inputs, name) {
			continue
		}
		if err := c.sock.DelVIF(v); err != nil {
			c.stats.Failed++
			c.log.Warn("free a VIF", "vif", v, "interface", name, "err", err)
		}
	}
}
