package main

import (
	"context"
	"encoding/binary"
	"slices"
	"time"

	"github.com/ofmcast/ofmcast/examples/agent/members"
	"github.com/ofmcast/ofmcast/igmp/snooper"
	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// onPacketIn takes in what hosts say, and routers where they may be. Elsewhere queries and other signs
// of routers are ignored by the snooper, by the port's role.
func (a *agent) onPacketIn(p *ofconn.PacketIn, at time.Time) {
	if a.hearNode(p, at) {
		return
	}
	for _, out := range a.take(p, at) {
		// Nobody waits for it: what is lost is asked for again.
		_, _ = a.conn.PacketOut(context.Background(), out)
	}
}

// take returns what is to be passed on.
func (a *agent) take(p *ofconn.PacketIn, at time.Time) []ofconn.PacketOut {
	a.mu.Lock()
	defer a.mu.Unlock()
	from, known := a.layout.port(p.InPort)
	vlan := uint16(p.Regs[0]) // the flows of table 0 have put it there
	if !known || !from.role.reports() || !from.vlans.carries(vlan) {
		return nil
	}
	result := a.snooper.Frame(snooper.Port(p.InPort), tagged(p.Frame, vlan), at)
	for _, r := range result.Records {
		a.view.Hosts.Heard(ofgroup.Port(r.Port), r.Host.MAC, r.Host.Addr, r.Version, r.At)
		// What is refused is counted by the cache; a stranger's report must not fill the log.
		_ = a.cache.Apply(mcast.Report[members.Member]{
			Group:   mcast.Group{Addr: r.Group, Segment: uint32(r.VLAN)},
			Member:  members.Port(ofgroup.Port(r.Port)),
			Kind:    mcast.Kind(r.Kind),
			Sources: a.permitted(&r),
			Version: r.Version,
			At:      r.At,
		})
	}
	a.noteRouters()
	switch {
	case result.Query != nil:
		a.heard(result.Query)
		passed := a.passQuery(p, result.Query)
		if a.o.transparent {
			return passed
		}
		return append(passed, a.answer(result.Query)...)
	case result.Forward == snooper.ForwardRouters && a.o.transparent:
		return a.passReport(p, vlan)
	}
	return nil
}

// tagged gives a frame the tag back that the flows took off, so that it is read as it came.
func tagged(frame []byte, vlan uint16) []byte {
	const behindAddresses = 12
	if vlan == 0 || len(frame) < behindAddresses {
		return frame
	}
	tag := binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(nil, ofgroup.TPID8021Q), vlan)
	return slices.Concat(frame[:behindAddresses], tag, frame[behindAddresses:])
}

// passQuery passes a router's specific query on to the members that it asks, and to nobody else: a
// general one goes everywhere by a flow.
func (a *agent) passQuery(p *ofconn.PacketIn, q *snooper.Query) []ofconn.PacketOut {
	if q.General() {
		return nil
	}
	vlan := uint16(q.VLAN)
	s, ok := a.cache.Lookup(mcast.Group{Addr: q.Group, Segment: uint32(vlan)})
	if !ok {
		return nil
	}
	var to []port
	for m := range s.Members() {
		if member, ok := a.layout.port(m.Port); ok && member.role == roleMember && member.vlans.carries(vlan) {
			to = append(to, member)
		}
	}
	if len(to) == 0 {
		return nil
	}
	return []ofconn.PacketOut{{InPort: p.InPort, Actions: outAll(to, vlan), Frame: p.Frame}}
}

// outAll are the actions that send a frame without a tag out of several ports in a VLAN: a tag, once
// put on, stays on for the outputs behind it.
func outAll(ports []port, vlan uint16) []ofgroup.Action {
	var plain, tagged []ofgroup.Action
	for _, p := range ports {
		switch out := p.vlans.out(p.number, vlan); {
		case len(out) == 1:
			plain = append(plain, out...)
		case len(tagged) == 0:
			tagged = out
		default:
			tagged = append(tagged, out[len(out)-1])
		}
	}
	return append(plain, tagged...)
}

// passReport passes a report on to the router ports as it is.
func (a *agent) passReport(p *ofconn.PacketIn, vlan uint16) []ofconn.PacketOut {
	if len(a.layout.routers[vlan]) == 0 {
		return nil
	}
	toRouters := ofgroup.OutputGroup(baseGroup(groupRouters, vlan))
	return []ofconn.PacketOut{{InPort: p.InPort, Actions: []ofgroup.Action{toRouters}, Frame: p.Frame}}
}
