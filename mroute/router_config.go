package mroute

import (
	"log/slog"
	"maps"
	"net/netip"
	"slices"
	"time"
)

// Flow is a stream as a Policy sees it.
type Flow struct {
	Source, Group netip.Addr
	// In is the name of the interface where it arrives.
	In string
}

// Decision is a Policy's answer. The zero Decision is: this stream may come from there, and nobody wants it.
type Decision struct {
	// Out are the interfaces where the stream leaves. Those that do not exist are left out until they do, and the one
	// where it arrives is always left out.
	Out []Out
	// Reject says that the stream has no business to come from this interface. Its packets are dropped as those that
	// nobody wants, and a stream that arrives elsewhere is never moved here.
	Reject bool
}

// Out is an interface where a stream leaves.
type Out struct {
	// Interface is a name.
	Interface string
	// TTL is a threshold like Hop.TTL. With 255 nothing ever leaves there.
	TTL uint8
}

// RouterConfig says what a Router does. The zero value works, and routes nothing.
type RouterConfig struct {
	// Inputs are the names of the interfaces that streams are taken from. Each has a VIF as long as it exists, and may
	// appear later. Interfaces where streams only leave have a VIF while a route needs it. What arrives elsewhere is
	// dropped.
	Inputs []string
	// Policy is asked for each new stream at an input, on Refresh, and when a stream moves. It is called on Run's
	// goroutine: it must not wait, nor call the Router. By default nothing is wanted.
	Policy func(Flow) Decision
	// Boundaries are groups that do not cross an interface, by its name, in either direction: they are not taken from
	// there, and do not leave there, whatever the Policy says (RFC 2365 section 5). None by default.
	Boundaries map[string][]netip.Prefix
	// KeepFor is how long routes that the Socket was handed over with leave at least where they did, counted from Run, so
	// that streams flow on while the Policy learns again who wants them. By default the Policy alone counts, at once.
	KeepFor time.Duration
	// StaleAfter is how long a route is kept without a packet at its own interface; 10 minutes by default.
	StaleAfter time.Duration
	// NegativeAfter is the same for entries of streams that nobody wants; 1 minute by default.
	NegativeAfter time.Duration
	// MoveAfter is how long a stream must have been silent at its interface before another one takes it over; 3 seconds
	// by default. Without it two interfaces on one LAN would take the stream from each other.
	MoveAfter time.Duration
	// MaxEntries bounds what senders of ever new streams can make the Router and the kernel keep; 100,000 by default.
	// Beyond it new streams are not routed, until old ones are stale; the others are not affected.
	MaxEntries int
	// Tick is how often the kernel is asked for all counters, routes and VIFs, what it has lost is made again, and what
	// failed is tried again; 5 seconds by default, 20 ms at least. A kernel that does not tell of every packet at a wrong
	// interface (without PIM it does only at outgoing ones) shows with a tick too that a stream has moved.
	Tick time.Duration
	// Logger hears of moves, lost routes and failures; by default nobody does.
	Logger *slog.Logger
}

const leastTick = 20 * time.Millisecond

func (c RouterConfig) withDefaults() RouterConfig {
	c.Inputs = slices.Clone(c.Inputs)
	c.Boundaries = maps.Clone(c.Boundaries)
	if c.Policy == nil {
		c.Policy = func(Flow) Decision { return Decision{} }
	}
	orDefault := func(d *time.Duration, otherwise time.Duration) {
		if *d <= 0 {
			*d = otherwise
		}
	}
	orDefault(&c.StaleAfter, 10*time.Minute)
	orDefault(&c.NegativeAfter, time.Minute)
	orDefault(&c.MoveAfter, 3*time.Second)
	orDefault(&c.Tick, 5*time.Second)
	if c.MaxEntries <= 0 {
		c.MaxEntries = 100_000
	}
	c.Tick = max(c.Tick, leastTick)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}

// bounded says that a group does not cross an interface.
func (c RouterConfig) bounded(name string, group netip.Addr) bool {
	return slices.ContainsFunc(c.Boundaries[name], func(p netip.Prefix) bool { return p.Contains(group) })
}
