package main

import (
	"slices"

	"github.com/ofmcast/ofmcast/igmp/igmpconn"
	"github.com/ofmcast/ofmcast/igmp/querier"
	"github.com/ofmcast/ofmcast/mcast"
)

// attach begins to ask on an interface, with the queries of a start. Memberships stay.
func (m *monitor) attach(l igmpconn.Link, send func([]byte) error) error {
	q, err := m.opts.newQuerier(l)
	if err != nil {
		return err
	}
	m.querier, m.send = q, send
	m.link.Addrs = l.Addrs // which the querier has
	m.see(l)
	m.adopt()
	return nil
}

// detach is for an interface that was deleted.
func (m *monitor) detach() {
	m.querier, m.send, m.state = nil, nil, querier.State{}
	m.see(igmpconn.Link{})
}

// see takes in what the interface is like now. While it is down nobody hears a query and nobody is
// heard, so silence means nothing; when it is up again, everybody is asked at once.
func (m *monitor) see(l igmpconn.Link) {
	was := m.link
	m.link = l
	if m.querier != nil && !slices.Equal(l.Addrs, was.Addrs) {
		if m.querier.SetAddrs(m.opts.addrs(l)) == nil { // with none it goes on with those it had
			m.adopt()
		}
	}
	if l.Up == was.Up {
		return
	}
	m.cache.HoldAging(!l.Up)
	m.note(event{Event: "interface", Up: &l.Up})
	if l.Up && m.querier != nil {
		m.querier.Restart()
	}
}

// adopt passes on what has changed in the election.
func (m *monitor) adopt() {
	s, before := m.querier.State(), m.state
	m.state = s
	if s.Timing != before.Timing {
		m.cache.SetTiming(mcast.Timing(s.Timing))
	}
	if s.Querier != before.Querier || s.Elected != before.Elected {
		m.note(event{Event: "querier", Querier: &s.Querier, Elected: s.Elected})
	}
}
