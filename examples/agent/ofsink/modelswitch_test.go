package ofsink_test

import (
	"context"
	"errors"
	"maps"
	"net/netip"
	"slices"
	"sync"

	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// fate is what becomes of a message.
type fate int

const (
	obeyed  fate = iota
	refused      // by the switch, which then says so
	unsent       // not one byte was written
	lost         // nobody knows: it did not arrive
	late         // nobody knows: it was obeyed, and the answer did not arrive
)

// modelSwitch is a flow table and a group table by the rules of OpenFlow: the simplest that say who
// gets a packet. It is an ofgroup.Sender and an ofsink.Flows.
type modelSwitch struct {
	mu     sync.Mutex
	groups map[ofgroup.ID]ofgroup.Group
	flows  map[ofgroup.Match]ofconn.FlowMod

	fate    func() fate // decides about every message
	changed func()      // called after every message that was obeyed
}

func newModelSwitch() *modelSwitch {
	sw := &modelSwitch{fate: func() fate { return obeyed }, changed: func() {}}
	sw.reset()
	return sw
}

// reset loses everything but the host's own group of router ports.
func (sw *modelSwitch) reset() {
	sw.groups = map[ofgroup.ID]ofgroup.Group{
		routerGroup: describe(routerGroup, slices.Values([]ofgroup.Port{routerPort})),
	}
	sw.flows = map[ofgroup.Match]ofconn.FlowMod{}
}

// Version is OpenFlow 1.5.
func (sw *modelSwitch) Version() ofgroup.Version { return ofgroup.OpenFlow15 }

func (sw *modelSwitch) Send(_ context.Context, m *ofgroup.Mod) (ofgroup.Receipt, error) {
	return sw.deliver(func() error { return sw.groupMod(m) })
}

func (sw *modelSwitch) SendMessage(_ context.Context, m ofconn.Message) (ofgroup.Receipt, error) {
	return sw.deliver(func() error { return sw.flowMod(m.(ofconn.FlowMod)) })
}

// deliver obeys a message, or does to it what fate has in mind.
func (sw *modelSwitch) deliver(obey func() error) (ofgroup.Receipt, error) {
	sw.mu.Lock()
	defer sw.mu.Unlock()
	f := sw.fate()
	switch f {
	case unsent:
		return ofgroup.Receipt{}, ofgroup.NotSent(errors.New("unsent"))
	case refused:
		return ofgroup.Receipt{}, &ofgroup.SwitchError{Type: 1, Code: 6} // OFPBRC_EPERM
	case lost:
		return ofgroup.Receipt{}, context.DeadlineExceeded
	}
	if err := obey(); err != nil {
		return ofgroup.Receipt{}, err
	}
	sw.changed()
	if f == late {
		return ofgroup.Receipt{}, context.DeadlineExceeded
	}
	return ofgroup.Receipt{Confirmed: true}, nil
}

func (sw *modelSwitch) groupMod(m *ofgroup.Mod) error {
	const groupModFailed, exists, unknown = 6, 0, 8
	g := m.Group()
	_, there := sw.groups[g.ID()]
	switch c := m.Command(); {
	case c == ofgroup.Delete:
		delete(sw.groups, g.ID())
		maps.DeleteFunc(sw.flows, func(_ ofgroup.Match, f ofconn.FlowMod) bool { return slices.Contains(groupsOf(f), g.ID()) })
		return nil
	case c == ofgroup.Add && there:
		return &ofgroup.SwitchError{Type: groupModFailed, Code: exists}
	case c == ofgroup.Modify && !there:
		return &ofgroup.SwitchError{Type: groupModFailed, Code: unknown}
	case c != ofgroup.Add && c != ofgroup.Modify && c != ofgroup.AddOrMod:
		panic(c)
	}
	sw.groups[g.ID()] = g
	return nil
}

// groupsOf are the groups that a flow hands packets to.
func groupsOf(f ofconn.FlowMod) (ids []ofgroup.ID) {
	for _, a := range f.Actions {
		if id, ok := a.AsOutputGroup(); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

func (sw *modelSwitch) flowMod(f ofconn.FlowMod) error {
	const badAction, badOutGroup = 2, 9
	if f.Command == ofconn.FlowDeleteStrict {
		if held := sw.flows[f.Match]; held.Cookie&f.CookieMask == f.Cookie&f.CookieMask && held.Priority == f.Priority {
			delete(sw.flows, f.Match)
		}
		return nil
	}
	for _, id := range groupsOf(f) {
		if _, ok := sw.groups[id]; !ok {
			return &ofgroup.SwitchError{Type: badAction, Code: badOutGroup}
		}
	}
	sw.flows[f.Match] = f
	return nil
}

// copies is how often each port gets a packet that source sends to g.
func (sw *modelSwitch) copies(g mcast.Group, source netip.Addr) map[ofgroup.Port]int {
	copies := make(map[ofgroup.Port]int)
	flow, ok := sw.flows[modelLayout.Flow(g, source, 0).Match]
	if !ok {
		flow, ok = sw.flows[modelLayout.Flow(g, netip.Addr{}, 0).Match]
	}
	if !ok { // the host's own flow for groups without members
		copies[gatewayOfModel]++
		copies[routerPort]++
		return copies
	}
	for _, id := range groupsOf(flow) {
		for b := range sw.groups[id].Buckets() {
			for a := range b.Actions() {
				if p, ok := a.AsOutput(); ok {
					copies[p]++
				}
			}
		}
	}
	return copies
}

// FlowStats, GroupStats and GroupDesc tell what it holds; it is an ofsink.Reader.
func (sw *modelSwitch) FlowStats(_ context.Context, f ofconn.FlowFilter) (all []ofconn.FlowStats, err error) {
	for _, flow := range sw.flows {
		if flow.Cookie&f.CookieMask != f.Cookie {
			continue
		}
		message, err := flow.AppendMessage(nil, ofgroup.OpenFlow15)
		if err != nil {
			return nil, err
		}
		match, err := flow.Match.AppendBinary(nil)
		if err != nil {
			return nil, err
		}
		const head = 48
		all = append(all, ofconn.FlowStats{
			Table: flow.Table, Priority: flow.Priority, Cookie: flow.Cookie,
			Match: match, Instructions: message[head+len(match):],
		})
	}
	return all, nil
}

func (sw *modelSwitch) GroupStats(context.Context, ofgroup.ID) (all []ofgroup.GroupStats, err error) {
	for id := range sw.groups {
		all = append(all, ofgroup.GroupStats{ID: id})
	}
	return all, nil
}

func (sw *modelSwitch) GroupDesc(_ context.Context, id ofgroup.ID) (ofgroup.Group, bool, error) {
	g, ok := sw.groups[id]
	return g, ok, nil
}
