package main

import (
	"net/netip"
	"slices"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/igmp/igmpconn"
	"github.com/ofmcast/ofmcast/igmp/querier"
	"github.com/ofmcast/ofmcast/igmp/snooper"
)

// segment is an inside interface: its link as it is now, and the election there.
type segment struct {
	name    string
	port    snooper.Port
	link    igmpconn.Link
	querier *querier.Querier // nil as long as there is no interface to ask on
	state   querier.State    // of which the rest has been told
	send    func(frame []byte) error
	seen    bool // whether there has been a look at it
}

// sample stands for an interface that is still to come.
var sample = igmpconn.Link{MAC: igmp.MAC{2}, Addrs: []netip.Addr{netip.MustParseAddr("192.0.2.1")}}

func (o *options) querierConfig(l igmpconn.Link) querier.Config {
	return querier.Config{
		MAC: l.MAC, MTU: l.MTU, Addrs: l.Addrs, Versions: []uint8{uint8(o.version)}, QI: o.interval, QRI: o.response,
	}
}

// attach begins to ask on an interface, with the queries of a start. Memberships stay.
func (p *proxy) attach(s *segment, l igmpconn.Link, send func([]byte) error) error {
	q, err := querier.New(p.opts.querierConfig(l))
	if err != nil {
		return err
	}
	s.querier, s.send = q, send
	s.link.Addrs = l.Addrs // which the querier has
	p.see(s, l)
	p.adopt(s)
	return nil
}

// detach stops asking on an interface that was deleted. Its memberships stay until their time is over: it may return.
func (p *proxy) detach(s *segment) {
	s.querier, s.send = nil, nil
	p.adopt(s)
}

// see takes in what the interface is like now. When it is up again, everybody is asked at once.
func (p *proxy) see(s *segment, l igmpconn.Link) {
	was, first := s.link, !s.seen
	s.link, s.seen = l, true
	if s.querier != nil && !slices.Equal(l.Addrs, was.Addrs) && s.querier.SetAddrs(l.Addrs) == nil {
		p.adopt(s) // without any address it goes on with those it had
	}
	if l.Up == was.Up && !first {
		return
	}
	p.note(event{Event: "interface", Interface: s.name, Up: &l.Up})
	if l.Up && s.querier != nil {
		s.querier.Restart()
	}
}

// adopt passes on what has changed in an election. The querier is who forwards (RFC 4605 section 4.2), so that two
// routers on a network do not both.
func (p *proxy) adopt(s *segment) {
	before := s.state
	s.state = querier.State{}
	if s.querier != nil {
		s.state = s.querier.State()
	}
	if s.state.Timing != before.Timing {
		p.cache.SetTiming(p.timing())
	}
	now := s.state
	if now.Querier != before.Querier || now.Elected != before.Elected {
		p.note(event{Event: "querier", Interface: s.name, Querier: &now.Querier, Elected: now.Elected})
	}
	if now.Querier != before.Querier {
		p.policy.forward(s.name, now.Querier)
		if p.handle != nil {
			p.handle.Resync()
		}
	}
}
