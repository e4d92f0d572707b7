package view

import (
	"context"
	"net/netip"
	"slices"
	"time"

	"github.com/ofmcast/ofmcast/examples/agent/members"
	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// What a page can show: the others are counted.
const (
	maxGroups  = 500
	maxMembers = 200
	maxRoutes  = 500
	maxPorts   = 1000
)

// switchCounters reads how many packets went through the groups of the switch.
func (c *Collector) switchCounters(ctx context.Context) map[ofgroup.ID]uint64 {
	if c.src.Packets == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	packets, err := c.src.Packets(ctx)
	if err != nil { // the switch is away, as Switch says
		return nil
	}
	return packets
}

// readGroups lists the groups with their members.
func (c *Collector) readGroups(s *State, name func(ofgroup.Port) string, packets map[ofgroup.ID]uint64) {
	rates := c.flows.read(s.At, packets)
	s.Groups = []Group{}
	for g := range c.src.Cache.Groups() {
		if len(s.Groups) == maxGroups {
			s.GroupsOmitted++
			continue
		}
		out := Group{Group: g.Group().Addr, VLAN: g.Group().Segment, Members: []Member{}}
		held := c.src.Cache.Memberships(g.Group())
		for i := range held {
			if i == maxMembers {
				out.MembersOmitted = len(held) - i
				break
			}
			out.Members = append(out.Members, member(&held[i], name))
		}
		out.Rows = c.rows(g.Group(), held, packets, rates)
		s.Groups = append(s.Groups, out)
	}
}

// member is one membership for people.
func member(m *mcast.Membership[members.Member], name func(ofgroup.Port) string) Member {
	out := Member{
		Port: uint32(m.Member.Port), Name: nameOf(m.Member, name), Owner: owner(m.Owner), Mode: m.Mode.String(),
		Sources: make([]Source, len(m.Sources)), IGMP: m.Version(),
		Age: Seconds(m.Age), Left: Seconds(m.TimeLeft()),
		Leaving: m.Leaving, Unconfirmed: m.Unconfirmed,
	}
	for i, source := range m.Sources {
		out.Sources[i] = Source{Addr: source.Addr, Left: Seconds(source.Left)}
	}
	return out
}

// owner is empty for what is learnt.
func owner(o mcast.Owner) string {
	switch {
	case o.Kind == mcast.Learned:
		return ""
	case o.ID == "":
		return o.Kind.String()
	}
	return o.Kind.String() + " " + o.ID
}

// rows are the OpenFlow groups that stand for a multicast group: for any source, and for each that
// somebody names.
func (c *Collector) rows(g mcast.Group, held []mcast.Membership[members.Member], packets map[ofgroup.ID]uint64, rates map[ofgroup.ID]float64) []Row {
	rows := []Row{}
	if c.src.GroupID == nil {
		return rows
	}
	for _, source := range append([]netip.Addr{{}}, sourcesOf(held)...) {
		id, ok := c.src.GroupID(g, source)
		if !ok {
			continue
		}
		row := Row{OpenFlow: uint32(id), Packets: packets[id], PerSecond: rates[id]}
		if source.IsValid() {
			row.Source = source.String()
		}
		rows = append(rows, row)
	}
	return rows
}

// sourcesOf are all sources that members name, in order.
func sourcesOf(held []mcast.Membership[members.Member]) []netip.Addr {
	var all []netip.Addr
	for i := range held {
		for _, s := range held[i].Sources {
			all = append(all, s.Addr)
		}
	}
	slices.SortFunc(all, netip.Addr.Compare)
	return slices.Compact(all)
}
