package view

import (
	"cmp"
	"slices"

	"github.com/ofmcast/ofmcast/examples/agent/members"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// readPorts lists the ports in the order of their numbers.
func (c *Collector) readPorts(s *State, ports []PortInfo) {
	var dropped map[ofgroup.Port]uint64
	if c.src.Switch != nil {
		dropped = c.src.Switch.EventStats().DroppedByPort
	}
	ports = slices.SortedFunc(slices.Values(ports), func(a, b PortInfo) int { return cmp.Compare(a.Number, b.Number) })
	s.Ports = []Port{}
	for i, p := range ports {
		if i == maxPorts {
			s.PortsOmitted = len(ports) - i
			break
		}
		s.Ports = append(s.Ports, c.port(p, dropped[p.Number]))
	}
}

func (c *Collector) port(p PortInfo, dropped uint64) Port {
	out := Port{
		Number: uint32(p.Number), Name: p.Name, Role: p.Role, VLANs: p.VLANs, Carries: Ranges(p.Carries), Down: p.Down, Drained: p.Drained,
		Denied: p.Denied, Dropped: dropped, Hosts: []Host{},
	}
	c.Hosts.fill(&out)
	held := c.src.Cache.MembershipsOf(members.Port(p.Number))
	for i := range held {
		m := &held[i]
		if i == 0 || m.Group != held[i-1].Group { // those of one group come together
			out.Groups++
		}
		out.V1, out.V2 = max(out.V1, Seconds(m.V1)), max(out.V2, Seconds(m.V2))
		if out.IGMP == 0 || m.Version() < out.IGMP {
			out.IGMP = m.Version()
		}
	}
	return out
}
