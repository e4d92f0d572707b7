package main

import (
	"slices"
	"time"

	"github.com/ofmcast/ofmcast/igmp/snooper"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// inherited are the ports that an agent before had found routers behind, until when they count without
// a sign of their own: the next may be a query interval away, and streams go there meanwhile.
type inherited struct {
	ports map[uint16][]ofgroup.Port
	until time.Time
}

// at are those of a VLAN, if they count still.
func (i inherited) at(vlan uint16, now time.Time) []ofgroup.Port {
	if !now.Before(i.until) {
		return nil
	}
	return i.ports[vlan]
}

// inheritRouters takes over the router ports that the groups on a switch tell of.
func (a *agent) inheritRouters(groups []ofgroup.Group, now time.Time) layout {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.inherited = inherited{ports: make(map[uint16][]ofgroup.Port), until: now.Add(a.asker.State().Timing.OtherQuerierPresent())}
	for _, vlan := range a.layout.vlans {
		for _, g := range groups {
			if g.ID() != baseGroup(groupRouters, vlan) {
				continue
			}
			for b := range g.Buckets() {
				if id, ok := b.ID(); ok {
					a.inherited.ports[vlan] = append(a.inherited.ports[vlan], ofgroup.Port(id))
				}
			}
		}
	}
	a.relayout(now)
	return a.layout
}

// routerPorts are the ports that lead to routers now. With the lock held.
func (a *agent) routerPorts(now time.Time) map[uint16][]ofgroup.Port {
	routers := make(map[uint16][]ofgroup.Port)
	for _, vlan := range a.layout.vlans {
		ports := slices.Clone(a.inherited.at(vlan, now))
		for p := range a.snooper.RouterPorts(snooper.VLAN(vlan)) {
			ports = append(ports, ofgroup.Port(p))
		}
		slices.Sort(ports)
		ports = slices.DeleteFunc(slices.Compact(ports), func(number ofgroup.Port) bool {
			p, ok := a.layout.port(number)
			return !ok || !p.role.mayRoute() || !p.vlans.carries(vlan)
		})
		if len(ports) > 0 {
			routers[vlan] = ports
		}
	}
	return routers
}

// endInheritance has the switch follow when what was inherited counts no more, and returns when to look
// again. With the lock held.
func (a *agent) endInheritance(now time.Time) (next time.Time, waiting bool) {
	switch {
	case a.inherited.ports == nil:
		return time.Time{}, false
	case now.Before(a.inherited.until):
		return a.inherited.until, true
	}
	a.inherited = inherited{}
	a.follow.signal()
	return time.Time{}, false
}
