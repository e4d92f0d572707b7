package main

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"slices"

	"github.com/ofmcast/ofmcast/examples/agent/ofsink"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// What is the agent's on the switch. Table 0 hands IPv4 multicast on to tableClassify, which sends IGMP
// to the agent alone, 224.0.0.0/24 to everybody, and the rest on to tableGroups, where the sink has a
// flow for each group that has members.
const (
	tableHook     = 0
	tableClassify = 100
	tableGroups   = 101
	tableOutside  = 110 // with tunnels: out of the port in outPort, unless it came from another node
	tableTunnel   = 111 // with tunnels: to another node, unless it came from one or from outside

	cookie     = 0x6f666d63 << 32
	cookieMask = 0xffffffff << 32

	// The base groups of a VLAN; see baseGroup.
	groupQuery   ofgroup.ID = 1 // member ports: where queries go
	groupAll     ofgroup.ID = 2 // every port: 224.0.0.0/24
	groupNobody  ofgroup.ID = 3 // the gateway and router ports: groups without members here
	groupRouters ofgroup.ID = 4 // router ports: beside the members of every group
	groupPeers   ofgroup.ID = 5 // the other nodes, through the tunnel: reports and queries; one for all VLANs
	groupFirst   ofgroup.ID = 1000
	groupLast    ofgroup.ID = 65535
	groupIDs                = int(groupLast - groupFirst + 1)
	groupVLANs   ofgroup.ID = 100000
	meterBase               = 10    // the meter of port P is meterBase + P
	lastPort                = 65535 // of those that get a meter
	lastVLAN                = 4094

	controllerID = 0x6f66

	protoIGMP = 2
	protoPIM  = 103
)

var (
	multicast  = netip.MustParsePrefix("224.0.0.0/4")
	linkLocal  = netip.MustParsePrefix("224.0.0.0/24")
	allSystems = netip.MustParsePrefix("224.0.0.1/32")
	pimRouters = netip.MustParsePrefix("224.0.0.13/32")
)

// sinkLayout is where the sink's flows stand.
var sinkLayout = ofsink.Layout{Table: tableGroups, Priority: 100, Cookie: cookie, Segment: ofgroup.Reg(0)}

// baseGroup is the number of a base group: 1 to 4 in VLAN 0, and 100101 to 100104 in VLAN 10.
func baseGroup(kind ofgroup.ID, vlan uint16) ofgroup.ID {
	if vlan == 0 {
		return kind
	}
	return groupVLANs + 10*ofgroup.ID(vlan) + kind
}

// port is a port of the bridge as the agent serves it.
type port struct {
	number ofgroup.Port
	name   string
	role   role
	vlans  carriage
}

// layout is all that the base groups, flows and meters follow from, and they from nothing else: so what
// is on a switch can be compared with it.
type layout struct {
	ports   []port                    // in ascending order of their numbers
	byPort  bool                      // VLANs are told apart, by flows of each port's own
	vlans   []uint16                  // those that are served, ascending; 0 alone unless byPort
	routers map[uint16][]ofgroup.Port // what leads to routers in a VLAN now, ascending
	tunnel  tunnel                    // to other nodes, if there is one
}

// newLayout serves the VLANs that the ports' settings name and those of extra. Without either there is
// one segment, and nothing needs to be told apart.
func newLayout(ports []port, extra []uint16, routers map[uint16][]ofgroup.Port) layout {
	l := layout{ports: ports, vlans: []uint16{0}, routers: routers}
	l.byPort = len(extra) > 0 || slices.ContainsFunc(ports, func(p port) bool { return !p.vlans.plain() })
	if !l.byPort {
		return l
	}
	l.vlans = slices.Clone(extra)
	for _, p := range ports {
		l.vlans = append(l.vlans, p.vlans.named()...)
	}
	slices.Sort(l.vlans)
	l.vlans = slices.DeleteFunc(slices.Compact(l.vlans), func(v uint16) bool { return v > lastVLAN })
	return l
}

// port returns the port of that number.
func (l layout) port(number ofgroup.Port) (port, bool) { return find(l.ports, number) }

func find(ports []port, number ofgroup.Port) (port, bool) {
	i, ok := slices.BinarySearchFunc(ports, number, func(p port, n ofgroup.Port) int { return cmp.Compare(p.number, n) })
	if !ok {
		return port{}, false
	}
	return ports[i], true
}

// name is the port as people know it, and by its number alone if it is not served.
func (l layout) name(number ofgroup.Port) string {
	if p, ok := l.port(number); ok {
		return p.String()
	}
	return port{number: number}.String()
}

// without is the layout without a port.
func (l layout) without(number ofgroup.Port) layout {
	l.ports = slices.DeleteFunc(slices.Clone(l.ports), func(p port) bool { return p.number == number })
	return l
}

// sameRouters says whether the same ports lead to routers.
func (l layout) sameRouters(o layout) bool {
	return maps.EqualFunc(l.routers, o.routers, slices.Equal[[]ofgroup.Port])
}

// routerNames are the router ports for people, each with its VLAN where there are VLANs.
func (l layout) routerNames() []string {
	names := []string{}
	for _, vlan := range l.vlans {
		for _, p := range l.routers[vlan] {
			name := l.name(p)
			if l.byPort {
				name += fmt.Sprintf(" in VLAN %d", vlan)
			}
			names = append(names, name)
		}
	}
	return names
}

// in is the conditions for being in a VLAN: none where there is one segment only.
func (l layout) in(vlan uint16) []ofgroup.Condition {
	if !l.byPort {
		return nil
	}
	return []ofgroup.Condition{ofgroup.Is(ofgroup.Reg(0), uint32(vlan))}
}

// leadsOut says whether a port is a router port in a VLAN, or the gateway of it: the kernel takes what
// comes without a tag.
func (l layout) leadsOut(p port, vlan uint16) bool {
	if p.role == roleGateway {
		return p.vlans.untagged(vlan)
	}
	return l.isRouter(p.number, vlan)
}

func (l layout) isRouter(p ofgroup.Port, vlan uint16) bool {
	return slices.Contains(l.routers[vlan], p)
}

// groups are the base groups.
func (l layout) groups() []ofgroup.Group {
	var groups []ofgroup.Group
	for _, vlan := range l.vlans {
		for kind, belongs := range map[ofgroup.ID]func(port) bool{
			groupQuery: func(p port) bool { return p.role == roleMember },
			groupAll: func(p port) bool {
				return p.role == roleMember || p.role.mayRoute() || l.leadsOut(p, vlan)
			},
			groupNobody:  func(p port) bool { return l.leadsOut(p, vlan) },
			groupRouters: func(p port) bool { return l.isRouter(p.number, vlan) },
		} {
			g := ofgroup.New(baseGroup(kind, vlan), ofgroup.All)
			for _, p := range l.ports {
				if belongs(p) && p.vlans.carries(vlan) {
					g = g.AddBuckets(l.baseBucket(kind, p, vlan))
				}
			}
			groups = append(groups, g)
		}
	}
	if l.tunnel.is() {
		groups = append(groups, l.peersGroup())
	}
	slices.SortFunc(groups, func(a, b ofgroup.Group) int { return int(a.ID()) - int(b.ID()) })
	return groups
}

// meters are those that the flows name: a port that floods drowns out no other.
func (l layout) meters() []ofgroup.Port {
	var ports []ofgroup.Port
	for _, p := range l.ports {
		if p.role.reports() || l.tunnel.isAt(p.number) {
			ports = append(ports, p.number)
		}
	}
	return ports
}

func meterOf(p ofgroup.Port) uint32 { return meterBase + uint32(p) }

// isNumbered says whether a port number can be that of a port with hosts behind it. The switch's own
// ports have numbers above.
func isNumbered(p ofgroup.Port) bool { return p >= 1 && p <= lastPort }

// ownFlows is the deletion of every flow that an agent has left, also of the process before.
var ownFlows = ofconn.FlowMod{Command: ofconn.FlowDelete, Table: ofconn.AllTables, Cookie: cookie, CookieMask: cookieMask}

// isBaseGroup says whether a group of this number is one of the base groups.
func isBaseGroup(id ofgroup.ID) bool {
	return id >= groupQuery && id <= groupPeers || id > groupVLANs && id <= baseGroup(groupRouters, lastVLAN)
}

// isSinkGroup says whether a group of this number is one of the sink's.
func isSinkGroup(id ofgroup.ID) bool { return id >= groupFirst && id <= groupLast }

// isOwnGroup says whether a group of this number is the agent's.
func isOwnGroup(id ofgroup.ID) bool { return isBaseGroup(id) || isSinkGroup(id) }

// foreignMeter says whether a meter of this number is not the agent's.
func foreignMeter(id uint32) bool { return id <= meterBase || id > meterBase+lastPort }
