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

	started   time.Time
	lastTick  time.Time
	nextTick  time.Time
	suspects  map[SG]*flow // those with a rival
	adopted   bool         // the routes that the Socket had are taken in
	keepUntil time.Time    // what those were like counts until then; zero when none is left
	polls     bool         // the kernel does not tell of every packet at a wrong interface
}

// flow is one stream and its entry in the kernel.
type flow struct {
	SG
	in       string
	decision Decision
	out      []string // where it leaves now: those of the decision that exist
	pending  bool     // the kernel does not have what the decision says
	kept     []Out    // where it left when it was taken over, for some time

	since    time.Time // when it was made
	counters RouteCounters
	goodAt   time.Time // when the count of packets at in had changed
	rival    rival
}

// rival is another interface where packets of a stream were seen.
type rival struct {
	in string
	// from is when packets at wrong interfaces begin to count: copies of those at the right one are late.
	from  time.Time
	wrong uint64 // how many there were by then
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
		started:  now, nextTick: now.Add(cfg.Tick),
		polls: !s.kernel.tellsWrongVIF(),
	}
}

// decide asks the policy. What comes from elsewhere than the inputs is nobody's business, and boundaries are no matter of
// policy.
func (c *core) decide(f *flow, in string) Decision {
	if !slices.Contains(c.cfg.Inputs, in) || c.cfg.bounded(in, f.Group) {
		return Decision{Reject: true}
	}
	d := c.cfg.Policy(Flow{Source: f.Source, Group: f.Group, In: in})
	if d.Reject {
		return Decision{Reject: true}
	}
	d.Out = slices.DeleteFunc(slices.Concat(d.Out, f.kept), func(o Out) bool { return c.cfg.bounded(o.Interface, f.Group) })
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
		errs = append(errs, c.reconsider(f))
	}
	return errors.Join(errs...)
}

// reconsider asks the policy about one flow, and changes its entry in place if the answer is another.
func (c *core) reconsider(f *flow) error {
	f.decision = c.decide(f, f.in)
	return c.settle(f)
}

// add makes the books of a new stream.
func (c *core) add(sg SG, now time.Time) *flow {
	f := &flow{SG: sg, since: now, goodAt: now}
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
