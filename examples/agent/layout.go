package main

import (
	"net/netip"
	"slices"

	"github.com/ofmcast/ofmcast/examples/agent/ofsink"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// What is the agent's on the switch. Table 0 hands untagged IPv4 multicast on to tableClassify, which
// sends IGMP to the agent alone, 224.0.0.0/24 to everybody, and the rest on to tableGroups, where the
// sink has a flow for each group that has members.
const (
	tableHook     = 0
	tableClassify = 100
	tableGroups   = 101

	cookie     = 0x6f666d63 << 32
	cookieMask = 0xffffffff << 32

	groupQuery  ofgroup.ID = 1 // member ports: where queries go
	groupAll    ofgroup.ID = 2 // member ports and the gateway: 224.0.0.0/24
	groupNobody ofgroup.ID = 3 // the gateway: groups without members here
	groupFirst  ofgroup.ID = 1000
	groupLast   ofgroup.ID = 65535
	meterBase              = 10    // the meter of port P is meterBase + P
	lastPort               = 65535 // of those that get a meter

	controllerID = 0x6f66

	protoIGMP = 2
)

var (
	multicast = netip.MustParsePrefix("224.0.0.0/4")
	linkLocal = netip.MustParsePrefix("224.0.0.0/24")
)

// sinkLayout is where the sink's flows stand.
var sinkLayout = ofsink.Layout{Table: tableGroups, Priority: 100, Cookie: cookie}

// baseGroups are the groups that follow the ports of the bridge.
func baseGroups(members []ofgroup.Port, gateway ofgroup.Port) []ofgroup.Group {
	var outside []ofgroup.Port
	if gateway != 0 {
		outside = append(outside, gateway)
	}
	describe := func(id ofgroup.ID, ports ...[]ofgroup.Port) ofgroup.Group {
		return ofsink.Describe(id, slices.Values(slices.Concat(ports...)))
	}
	return []ofgroup.Group{
		describe(groupQuery, members),
		describe(groupAll, members, outside),
		describe(groupNobody, outside),
	}
}

// baseFlows are the flows that do not depend on the member ports. The one in table 0 comes last: it
// puts the others into effect, all at once.
func baseFlows(gateway ofgroup.Port) []ofconn.FlowMod {
	igmp := ofgroup.NewMatch(ofgroup.IsIPv4(), ofgroup.Is(ofgroup.IPProto, uint8(protoIGMP)))
	ip := ofgroup.NewMatch(ofgroup.IsIPv4())
	flows := []ofconn.FlowMod{
		flow(tableGroups, 0, ip, ofgroup.OutputGroup(groupNobody)),
		flow(tableClassify, 0, ip, ofgroup.Resubmit(tableGroups)),
		flow(tableClassify, 200, ip.With(ofgroup.Within(ofgroup.IPDst, linkLocal)), ofgroup.OutputGroup(groupAll)),
		flow(tableClassify, 300, igmp),
	}
	if gateway != 0 {
		flows = append(flows, flow(tableClassify, 310, igmp.With(ofgroup.Is(ofgroup.InPort, gateway))))
	}
	return append(flows, flow(tableHook, 200,
		ip.With(ofgroup.IsUntagged(), ofgroup.Within(ofgroup.IPDst, multicast)), ofgroup.Resubmit(tableClassify)))
}

// igmpFrom matches the IGMP that comes in by a port.
func igmpFrom(p ofgroup.Port) ofgroup.Match {
	return ofgroup.NewMatch(ofgroup.IsIPv4(), ofgroup.Is(ofgroup.IPProto, uint8(protoIGMP)), ofgroup.Is(ofgroup.InPort, p))
}

// memberFlow sends a member port's IGMP to the agent and to nobody else, through a meter of the
// port's own if there is one: a port that floods drowns out no other.
func memberFlow(p ofgroup.Port, metered bool) ofconn.FlowMod {
	actions := []ofgroup.Action{ofgroup.Controller(ofgroup.PacketInAction{ID: controllerID})}
	if metered {
		actions = slices.Insert(actions, 0, ofgroup.Meter(meterOf(p)))
	}
	return flow(tableClassify, 305, igmpFrom(p), actions...)
}

func meterOf(p ofgroup.Port) uint32 { return meterBase + uint32(p) }

func flow(table uint8, priority uint16, m ofgroup.Match, actions ...ofgroup.Action) ofconn.FlowMod {
	return ofconn.FlowMod{Command: ofconn.FlowAdd, Table: table, Priority: priority, Cookie: cookie, Match: m, Actions: actions}
}

// ownFlows is the deletion of every flow that an agent has left, also of the process before.
var ownFlows = ofconn.FlowMod{Command: ofconn.FlowDelete, Table: ofconn.AllTables, Cookie: cookie, CookieMask: cookieMask}

// isMember says whether a port number can be that of a port with hosts behind it. The switch's own
// ports have numbers above.
func isMember(p ofgroup.Port) bool { return p >= 1 && p <= lastPort }
