package main

import (
	"context"
	"errors"
	"iter"

	"github.com/ofmcast/ofmcast/examples/agent/members"
	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/igmp/snooper"
	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// upstream is a router port in a VLAN. Towards it the agent is one host that wants what all members
// elsewhere want together (RFC 4605 section 4), so that a leave goes there with the last of them only.
type upstream struct {
	port port
	vlan uint16
}

// reporter tells router ports of changes. It is an mcast.Sink.
type reporter struct{ a *agent }

// Sync sends what has changed of a group since the last success.
func (r reporter) Sync(ctx context.Context, s mcast.State[members.Member]) error {
	var errs []error
	for _, out := range r.a.changeReports(s) {
		errs = append(errs, r.a.sendFrame(ctx, out.Frame, out.Actions...))
	}
	return errors.Join(errs...)
}

// changeReports are the reports of a group's change, one for each router port.
func (a *agent) changeReports(s mcast.State[members.Member]) []ofconn.PacketOut {
	a.mu.Lock()
	defer a.mu.Unlock()
	vlan := uint16(s.Group().Segment)
	var out []ofconn.PacketOut
	for _, number := range a.layout.routers[vlan] {
		p, ok := a.layout.port(number)
		if !ok {
			continue
		}
		var before mcast.Filter
		if prev, ok := s.Prev(); ok {
			before = elsewhere(prev, number)
		}
		up := upstream{p, vlan}
		messages := changeMessages(a.versions[up.key()], s.Group().Addr, before, elsewhere(s, number))
		out = append(out, a.packets(up, messages)...)
	}
	return out
}

// answer is what a router is told that asks: what is wanted elsewhere, of all groups or of the one asked
// about. Members are asked too, but their answers only refresh what is known here. With the lock held.
func (a *agent) answer(q *snooper.Query) []ofconn.PacketOut {
	p, ok := a.layout.port(ofgroup.Port(q.Port))
	if !ok {
		return nil
	}
	up := upstream{p, uint16(q.VLAN)}
	a.versions[up.key()] = q.Version
	var wanted []igmp.Record
	add := func(s mcast.State[members.Member]) {
		if r, ok := currentState(s.Group().Addr, elsewhere(s, p.number), q.Sources); ok {
			wanted = append(wanted, r)
		}
	}
	if !q.General() {
		if s, ok := a.cache.Lookup(mcast.Group{Addr: q.Group, Segment: uint32(up.vlan)}); ok {
			add(s)
		}
		return a.packets(up, inVersion(q.Version, wanted))
	}
	for s := range a.cache.Groups() {
		if s.Group().Segment == uint32(up.vlan) {
			add(s)
		}
	}
	return a.packets(up, inVersion(q.Version, wanted))
}

// elsewhere is what the members here want that are not behind this router port themselves.
func elsewhere(s mcast.State[members.Member], router ofgroup.Port) mcast.Filter {
	return members.Except(s, members.Port(router))
}

// upstreamKey is what an upstream is told apart by.
type upstreamKey struct {
	port ofgroup.Port
	vlan uint16
}

func (u upstream) key() upstreamKey { return upstreamKey{u.port.number, u.vlan} }

// packets send messages out of a router port.
func (a *agent) packets(to upstream, messages []igmp.Message) []ofconn.PacketOut {
	var out []ofconn.PacketOut
	for _, m := range messages {
		for part := range parts(m) {
			frame, err := igmp.AppendFrame(nil, igmp.Header{EthSrc: a.mac, Src: a.o.queryAddr}, part)
			if err != nil { // of a group that no host can have joined
				a.calm.Error("report not sent", "to", to.port, "err", err)
				continue
			}
			out = append(out, ofconn.PacketOut{Actions: to.port.vlans.out(to.port.number, to.vlan), Frame: frame})
		}
	}
	return out
}

// parts are a message in as many as fit on Ethernet.
func parts(m igmp.Message) iter.Seq[igmp.Message] {
	return func(yield func(igmp.Message) bool) {
		r, ok := m.(*igmp.ReportV3)
		if !ok {
			yield(m)
			return
		}
		for part := range igmp.SplitReport(r, 1500) {
			if !yield(part) {
				return
			}
		}
	}
}
