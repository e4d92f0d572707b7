package mroute

import (
	"errors"
	"log/slog"
	"net/netip"
	"slices"
	"time"
)

// core is the Router without goroutines and clock: what happens is told with its time, and due says when advance has
// something to do. All changes go to the Socket at once.
type core struct {
	cfg   RouterConfig
	sock  *Socket
	log   *slog.Logger
	stats RouterStats

	links  map[string]IfIndex
	names  map[IfIndex]string
	flows  map[SG]*flow
	groups map[netip.Addr]map[SG]*flow

	nextTick time.Time
	suspects map[SG]*flow // those with a rival
}

// flow is one stream and its entry in the kernel.
type flow struct {
	SG
	in       string
	decision Decision
	out      []string // where it leaves now: those of the decision that exist
	pending  bool     // the kernel does not have what the decision says

	good   uint64    // packets at in when they were counted last
	goodAt time.Time // when the count had changed
	rival  rival
}

// rival is another interface where packets of a stream were seen.
type rival struct {
	in    string
	wrong uint64 // the count of packets at wrong interfaces by then
	due   time.Time
	// enough says that no more packets need to come there.
	enough bool
}

func newCore(s *Socket, cfg RouterConfig, now time.Time) *core {
	cfg = cfg.withDefaults()
	return &core{
		cfg: cfg, sock: s, log: cfg.Logger,
		links: make(map[string]IfIndex), names: make(map[IfIndex]string),
		flows: make(map[SG]*flow), groups: make(map[netip.Addr]map[SG]*flow),
		suspects: make(map[SG]*flow),
		nextTick: now.Add(cfg.Tick),
	}
}

// decide asks the policy. What comes from elsewhere than the inputs is nobody's business.
func (c *core) decide(sg SG, in string) Decision {
	if !slices.Contains(c.cfg.Inputs, in) {
		return Decision{Reject: true}
	}
	d := c.cfg.Policy(Flow{Source: sg.Source, Group: sg.Group, In: in})
	d.Out = slices.Clone(d.Out)
	if d.Reject {
		d.Out = nil
	}
	return d
}

// refresh asks the policy again for every stream of a group, and changes the entries in place.
func (c *core) refresh(group netip.Addr) error {
	group, err := plainGroup(group)
	if err != nil {
		return fault("refresh", group, err)
	}
	var errs []error
	for _, f := range c.groups[group] {
		d := c.decide(f.SG, f.in)
		if d.equal(f.decision) && !f.pending {
			continue
		}
		f.decision = d
		errs = append(errs, c.install(f))
	}
	return errors.Join(errs...)
}

// add makes the books of a new stream.
func (c *core) add(sg SG, now time.Time) *flow {
	f := &flow{SG: sg, goodAt: now}
	c.flows[sg] = f
	if c.groups[sg.Group] == nil {
		c.groups[sg.Group] = make(map[SG]*flow)
	}
	c.groups[sg.Group][sg] = f
	return f
}

// remove deletes a stream's entry and books. When the kernel refuses both stay.
func (c *core) remove(f *flow) error {
	if err := c.sock.DelRoute(f.SG); err != nil {
		return c.failed(f, err)
	}
	delete(c.flows, f.SG)
	delete(c.suspects, f.SG)
	delete(c.groups[f.Group], f.SG)
	if len(c.groups[f.Group]) == 0 {
		delete(c.groups, f.Group)
	}
	c.freeVIFs()
	return nil
}

// failed counts and tells an error of the kernel. The flow is tried again with the next tick.
func (c *core) failed(f *flow, err error) error {
	if !f.pending {
		c.log.Warn("multicast route", "route", f.SG, "in", f.in, "err", err)
	}
	f.pending = true
	c.stats.Failed++
	return err
}
