package main

import (
	"context"
	"slices"
	"time"

	"github.com/ofmcast/ofmcast/examples/agent/members"
	"github.com/ofmcast/ofmcast/examples/agent/ofsink"
	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// takeOver begins where the agent before has ended. What it has left on the switch goes on forwarding:
// what is wanted stays as it is or is replaced in one step, and what is not is taken away; what members
// seem not to want any more only when they have had the time to say so. It returns the sink that has it,
// and the layout with what it told of routers.
func (a *agent) takeOver(ctx context.Context, s *ofconn.Session) (*ofsink.Sink[members.Member], layout, error) {
	if err := checkOthers(ctx, s); err != nil {
		return nil, layout{}, err
	}
	held, err := look(ctx, s, isBaseGroup)
	if err != nil {
		return nil, layout{}, err
	}
	l := a.inheritRouters(held.groups, time.Now())
	a.base.adopt(held, l, s.Version())
	sink := a.newSink()
	if err := sink.Adopt(ctx, s, isSinkGroup); err != nil {
		return nil, layout{}, err
	}
	ports := a.linkedPorts()
	a.restore("state file", a.past.Memberships, a.orPeer(a.past.sameNames(ports)))
	a.restore("switch", memberships(sink.Rows(), a.table), a.orPeer(a.past.sameNumbers(ports)))
	return sink, l, nil
}

// restore has the cache go on with memberships from before, until hosts have confirmed them. What it
// knows better stays.
func (a *agent) restore(from string, s mcast.Snapshot[members.Member], remap func(members.Member) (members.Member, bool)) {
	done, err := a.cache.Restore(s, time.Now(), remap)
	if err != nil {
		a.log.Error("memberships ignored", "from", from, "err", err)
		return
	}
	if done.Restored+done.Dropped+done.Refused > 0 {
		a.log.Info("memberships restored, to be confirmed by hosts", "from", from, "restored", done.Restored,
			"portsGone", done.Dropped, "overLimits", done.Refused, "known", done.Known)
	}
}

// orPeer keeps what other nodes want that are there still, beside what is kept of ports.
func (a *agent) orPeer(ports func(members.Member) (members.Member, bool)) func(members.Member) (members.Member, bool) {
	nodes := a.nodes.list()
	return func(m members.Member) (members.Member, bool) {
		if m.IsNode() {
			return m, slices.Contains(nodes, m.Node)
		}
		return ports(m)
	}
}

// linkedPorts are the names of the ports that are served but those whose link is down.
func (a *agent) linkedPorts() map[ofgroup.Port]string {
	a.mu.Lock()
	defer a.mu.Unlock()
	names := make(map[ofgroup.Port]string)
	for _, p := range a.layout.ports {
		if p.role.reports() && a.descs[p.number].State&ofconn.PortLinkDown == 0 {
			names[p.number] = p.name
		}
	}
	return names
}
