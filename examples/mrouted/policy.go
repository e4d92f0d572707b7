package main

import (
	"slices"
	"sync"

	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/mroute"
)

// policy says where a stream goes (RFC 4605 section 4.2). It is safe for concurrent use: the Router asks on a goroutine
// of its own.
type policy struct {
	inside, outside []string
	lookup          func(mcast.Group) (mcast.State[string], bool)

	mu       sync.Mutex
	forwards map[string]bool // the inside interfaces where we are the querier
}

func newPolicy(o options, lookup func(mcast.Group) (mcast.State[string], bool)) *policy {
	return &policy{inside: o.inside, outside: o.outside, lookup: lookup, forwards: map[string]bool{}}
}

// forward says whether streams may go to an inside interface.
func (p *policy) forward(name string, yes bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forwards[name] = yes
}

// route is a mroute.RouterConfig's Policy. A stream goes to every other inside interface where its source is wanted, and
// outside if it comes from inside: who wants it there is for the routers there to say.
func (p *policy) route(f mroute.Flow) mroute.Decision {
	p.mu.Lock()
	defer p.mu.Unlock()
	var d mroute.Decision
	if members, ok := p.lookup(mcast.Group{Addr: f.Group}); ok {
		for name, wants := range members.All() {
			if name != f.In && p.forwards[name] && wants.Accepts(f.Source) {
				d.Out = append(d.Out, mroute.Out{Interface: name})
			}
		}
	}
	if slices.Contains(p.inside, f.In) {
		for _, name := range p.outside {
			d.Out = append(d.Out, mroute.Out{Interface: name})
		}
	}
	return d
}
