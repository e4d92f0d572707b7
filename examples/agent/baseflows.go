package main

import (
	"slices"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// flows are the base flows, those in table 0 last: they put the others into effect. A port for which
// unmetered holds has no meter to go through.
func (l layout) flows(unmetered func(ofgroup.Port) bool) []ofconn.FlowMod {
	flows := l.groupFlows()
	for _, p := range l.ports {
		var toAgent []ofgroup.Action
		if !unmetered(p.number) {
			toAgent = append(toAgent, ofgroup.Meter(meterOf(p.number)))
		}
		toAgent = append(toAgent, ofgroup.Controller(ofgroup.PacketInAction{ID: controllerID}))
		flows = append(flows, l.igmpFlows(p, toAgent)...)
	}
	return append(flows, l.hooks()...)
}

// groupFlows are those that send packets on by where they go.
func (l layout) groupFlows() []ofconn.FlowMod {
	ip := ofgroup.NewMatch(ofgroup.IsIPv4())
	flows := []ofconn.FlowMod{
		flow(tableClassify, 0, ip, ofgroup.Resubmit(tableGroups)),
		flow(tableClassify, 300, matchIGMP()),
	}
	flows = append(flows, l.tunnelFlows()...)
	for _, vlan := range l.vlans {
		in := ip.With(l.in(vlan)...)
		flows = append(flows,
			flow(tableGroups, 0, in, ofgroup.OutputGroup(baseGroup(groupNobody, vlan))),
			flow(tableClassify, 200, in.With(ofgroup.Within(ofgroup.IPDst, linkLocal)), ofgroup.OutputGroup(baseGroup(groupAll, vlan))))
	}
	return flows
}

// igmpFlows are those for what a port says about multicast. It is for the agent, and for nobody else
// unless it comes from a router: no host hears another's report, and no tenant's query is heard.
func (l layout) igmpFlows(p port, toAgent []ofgroup.Action) []ofconn.FlowMod {
	from := ofgroup.Is(ofgroup.InPort, p.number)
	switch {
	case p.role == roleMember:
		return []ofconn.FlowMod{flow(tableClassify, 305, matchIGMP(from), toAgent...)}
	case l.tunnel.isAt(p.number):
		return []ofconn.FlowMod{flow(tableHook, 210, matchIGMP(from, ofgroup.Within(ofgroup.IPDst, multicast)), toAgent...)}
	case p.role == roleGateway: // the kernel's own
		return []ofconn.FlowMod{flow(tableClassify, 310, matchIGMP(from))}
	case !p.role.mayRoute():
		return nil
	}
	flows := []ofconn.FlowMod{flow(tableClassify, 320, matchIGMP(from), toAgent...)}
	for _, vlan := range l.vlans {
		if !p.vlans.carries(vlan) {
			continue
		}
		in := append(l.in(vlan), from)
		flows = append(flows,
			flow(tableClassify, 330, matchIGMP(in...).With(ofgroup.Within(ofgroup.IPDst, allSystems)),
				slices.Insert(slices.Clone(toAgent), 0, ofgroup.OutputGroup(baseGroup(groupQuery, vlan)))...),
			flow(tableClassify, 306, ofgroup.NewMatch(ofgroup.IsIPv4(), ofgroup.Is(ofgroup.IPProto, uint8(protoPIM))).
				With(in...).With(ofgroup.Within(ofgroup.IPDst, pimRouters)),
				slices.Insert(slices.Clone(toAgent), 0, ofgroup.OutputGroup(baseGroup(groupAll, vlan)))...))
	}
	return flows
}

// hooks are the flows in table 0 that send packets on. Those of ports that differ from others stand above
// the one for all.
func (l layout) hooks() []ofconn.FlowMod {
	hook := ofgroup.NewMatch(ofgroup.IsIPv4(), ofgroup.Within(ofgroup.IPDst, multicast))
	var flows []ofconn.FlowMod
	for _, p := range l.ports {
		from := hook.With(ofgroup.Is(ofgroup.InPort, p.number))
		switch {
		case p.role == roleTunnel:
			flows = append(flows, l.tunnelHooks(p, from)...)
		case l.byPort:
			flows = append(flows, l.portHooks(200, p, from)...)
		case l.tunnel.is() && l.origin(p) != fromHere:
			flows = append(flows, l.portHooks(206, p, from)...)
		}
	}
	if !l.byPort {
		return append(flows, untaggedHooks(200, hook, l.mark(port{role: roleMember}, 0)...)...)
	}
	// NORMAL, which may be below, would take the rest wherever its tag goes.
	return append(flows, flow(tableHook, 190, hook))
}

// portHooks take what comes from a port in the VLANs that are served.
func (l layout) portHooks(priority uint16, p port, from ofgroup.Match) []ofconn.FlowMod {
	var flows []ofconn.FlowMod
	for _, vlan := range l.vlans {
		mark := l.mark(p, vlan)
		if p.vlans.untagged(vlan) {
			flows = append(flows, untaggedHooks(priority, from, mark...)...)
		}
		if p.vlans.tagged(vlan) {
			flows = append(flows, flow(tableHook, priority, from.With(ofgroup.IsVLAN(vlan)),
				append(mark, ofgroup.PopVLAN(), ofgroup.Resubmit(tableClassify))...))
		}
	}
	return flows
}

// mark notes, where that makes a difference, in what VLAN a packet is and where it is from.
func (l layout) mark(p port, vlan uint16) []ofgroup.Action {
	var actions []ofgroup.Action
	if l.byPort {
		actions = append(actions, ofgroup.Set(ofgroup.Reg(0), uint32(vlan)))
	}
	if l.tunnel.is() {
		actions = append(actions, ofgroup.Set(whence, l.origin(p)))
	}
	return actions
}

// untaggedHooks take what has no VLAN: no tag, or one that has a priority only.
func untaggedHooks(priority uint16, m ofgroup.Match, before ...ofgroup.Action) []ofconn.FlowMod {
	on := ofgroup.Resubmit(tableClassify)
	return []ofconn.FlowMod{
		flow(tableHook, priority, m.With(ofgroup.IsUntagged()), append(slices.Clone(before), on)...),
		flow(tableHook, priority, m.With(ofgroup.IsVLAN(0)), append(slices.Clone(before), ofgroup.PopVLAN(), on)...),
	}
}

func matchIGMP(more ...ofgroup.Condition) ofgroup.Match {
	return ofgroup.NewMatch(ofgroup.IsIPv4(), ofgroup.Is(ofgroup.IPProto, uint8(protoIGMP))).With(more...)
}

func flow(table uint8, priority uint16, m ofgroup.Match, actions ...ofgroup.Action) ofconn.FlowMod {
	return ofconn.FlowMod{Command: ofconn.FlowAdd, Table: table, Priority: priority, Cookie: cookie, Match: m, Actions: actions}
}
