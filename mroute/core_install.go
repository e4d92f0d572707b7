package mroute

import (
	"errors"
	"fmt"
	"slices"
)

// install gives the kernel the entry that the flow's decision asks for, whatever it has. A stream without a way out gets
// a negative entry.
func (c *core) install(f *flow) error {
	route, out, err := c.route(f)
	return c.put(f, route, out, err)
}

// settle is install where the kernel has what the books say: what is right already is not touched.
func (c *core) settle(f *flow) error {
	route, out, err := c.route(f)
	if err == nil && !f.pending && c.sock.has(route) {
		f.out = out
		return nil
	}
	return c.put(f, route, out, err)
}

// route is the entry that the flow's decision asks for, and the names of the interfaces where it leaves. VIFs that are
// missing are made. An error that leaves a route to be made stands for some of the interfaces: the others get the stream
// all the same.
func (c *core) route(f *flow) (Route, []string, error) {
	route := Route{SG: f.SG, In: NoVIF}
	in, ok := c.sock.VIFOf(c.links[f.in])
	if !ok {
		return route, nil, fmt.Errorf("%w: %s", ErrNoVIF, f.in)
	}
	route.In = in
	var out []string
	var errs []error
	for _, o := range f.decision.Out {
		index, exists := c.links[o.Interface]
		if !exists || o.Interface == f.in || o.TTL == 255 || slices.Contains(out, o.Interface) {
			continue
		}
		v, err := c.vif(index)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		route.Out = append(route.Out, Hop{VIF: v, TTL: o.TTL})
		out = append(out, o.Interface)
	}
	return route, out, errors.Join(errs...)
}

// put makes the entry, and frees the VIFs that it needs no more.
func (c *core) put(f *flow, route Route, out []string, err error) error {
	if route.In != NoVIF {
		if refused := c.sock.AddRoute(route); refused != nil {
			err = errors.Join(err, refused)
		} else {
			f.out = out
		}
	}
	c.freeVIFs()
	if err != nil {
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
