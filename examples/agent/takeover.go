package main

import (
	"context"
	"time"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// takeOver begins where the agent before has ended. What it has left on the switch goes on forwarding:
// what is wanted stays as it is or is replaced in one step, and what is not is taken away. It returns the
// layout with what it told of routers.
func (a *agent) takeOver(ctx context.Context, s *ofconn.Session) (layout, error) {
	held, err := look(ctx, s)
	if err != nil {
		return layout{}, err
	}
	l := a.inheritRouters(held.groups, time.Now())
	a.base.adopt(held, l, s.Version())
	a.restoreMemberships(a.linkedPorts())
	return l, nil
}

// adopt takes over what the switch was found to hold: what is as the layout wants it stays, and what
// the layout does not have goes with the next apply. How the meters are set is not told.
func (b *base) adopt(f found, l layout, v ofgroup.Version) {
	for _, g := range f.groups {
		if isBaseGroup(g.ID()) {
			b.groups[g.ID()] = told[ofgroup.Group]{sure: true, what: g}
		}
	}
	for _, id := range f.meters {
		if !foreignMeter(id) {
			b.meters[ofgroup.Port(id-meterBase)] = told[struct{}]{}
		}
	}
	flows := l.flows(b.unmetered)
	for _, want := range flows {
		if f.hasFlow(want, v) {
			b.flows[keyOf(want)] = told[string]{sure: true, what: ofgroup.ActionsText(want.Actions...)}
		}
	}
	b.strays = f.strayFlows(flows)
}

// restoreMemberships takes in what the state file has of these ports.
func (a *agent) restoreMemberships(ports map[ofgroup.Port]string) {
	done, err := a.past.restore(a.cache, ports, time.Now())
	if err != nil {
		a.log.Error("memberships of the state file ignored", "file", a.o.state, "err", err)
		return
	}
	if done.Restored+done.Dropped+done.Refused > 0 {
		a.log.Info("memberships restored, to be confirmed by hosts", "restored", done.Restored,
			"portsGone", done.Dropped, "overLimits", done.Refused, "known", done.Known)
	}
}

// linkedPorts are the names of the ports that are served but those whose link is down.
func (a *agent) linkedPorts() map[ofgroup.Port]string {
	a.mu.Lock()
	defer a.mu.Unlock()
	names := make(map[ofgroup.Port]string)
	for _, p := range a.layout.ports {
		if a.descs[p.number].State&ofconn.PortLinkDown == 0 {
			names[p.number] = p.name
		}
	}
	return names
}
