package ofsink

import (
	"context"
	"fmt"
	"net/netip"

	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// Flows sends a message and says when the switch has carried it out. ofconn.Conn and ofconn.Session
// do.
type Flows interface {
	SendMessage(ctx context.Context, m ofconn.Message) (ofgroup.Receipt, error)
}

// Layout says where in the switch's tables the sink's flows stand.
type Layout struct {
	// Table and Priority are those of the flows for any source; those for one source stand above them,
	// by 10.
	Table    uint8
	Priority uint16
	// Cookie marks the flows as the agent's. Its lower 32 bits are left to the sink, which puts the
	// number of the group there.
	Cookie uint64
	// Segment, if not zero, is the field of 32 bits in which flows before the sink's have put the
	// segment (the VLAN) that a packet is in, such as ofgroup.Reg(0). Then every flow asks for it, also
	// for 0. Without it there is no segment but 0.
	Segment ofgroup.Field
}

// aboveAny is by how much the flow for one source stands above the one for any.
const aboveAny = 10

// Flow returns the flow that hands the packets of a multicast group to OpenFlow groups: those from one
// source, or with the zero Addr those from any. The first group is in the cookie.
func (l Layout) Flow(g mcast.Group, source netip.Addr, id ofgroup.ID, also ...ofgroup.ID) ofconn.FlowMod {
	priority := l.Priority
	if source != anySource {
		priority += aboveAny
	}
	return ofconn.FlowMod{
		Command:  ofconn.FlowAdd,
		Table:    l.Table,
		Priority: priority,
		Cookie:   l.Cookie | uint64(id),
		Match:    l.match(g, source),
		Actions:  outputs(id, also),
	}
}

func outputs(id ofgroup.ID, also []ofgroup.ID) []ofgroup.Action {
	actions := []ofgroup.Action{ofgroup.OutputGroup(id)}
	for _, id := range also {
		actions = append(actions, ofgroup.OutputGroup(id))
	}
	return actions
}

// tells says whether flows can tell the group's segment from others.
func (l Layout) tells(g mcast.Group) bool { return g.Segment == 0 || l.Segment != 0 }

// match takes what is sent to g by the source, or by anybody.
func (l Layout) match(g mcast.Group, source netip.Addr) ofgroup.Match {
	m, src, dst := ofgroup.NewMatch(ofgroup.IsIPv6()), ofgroup.IPv6Src, ofgroup.IPv6Dst
	if g.Addr.Is4() {
		m, src, dst = ofgroup.NewMatch(ofgroup.IsIPv4()), ofgroup.IPSrc, ofgroup.IPDst
	}
	m = m.With(ofgroup.Within(dst, whole(g.Addr)))
	if source != anySource {
		m = m.With(ofgroup.Within(src, whole(source)))
	}
	if l.Segment != 0 {
		m = m.With(ofgroup.Is(l.Segment, g.Segment))
	}
	return m
}

// whole is the prefix that is one address.
func whole(a netip.Addr) netip.Prefix { return netip.PrefixFrom(a, a.BitLen()) }

// also are the host's own groups that get the packets of g as well.
func (k *Sink[M]) also(g mcast.Group) []ofgroup.ID {
	if k.cfg.Also == nil {
		return nil
	}
	return k.cfg.Also(g)
}

// actions is what the flow of g does now, as text to compare.
func (k *Sink[M]) actions(g mcast.Group, id ofgroup.ID) string {
	return ofgroup.ActionsText(outputs(id, k.also(g))...)
}

// sendFlow sends the flow of a source of g. An added flow replaces one of the same match, so it may be
// sent again.
func (k *Sink[M]) sendFlow(ctx context.Context, to Flows, g mcast.Group, source netip.Addr, id ofgroup.ID) error {
	flow := k.cfg.Layout.Flow(g, source, id, k.also(g)...)
	if _, err := to.SendMessage(ctx, flow); err != nil {
		k.setFlow(g, source, id, "")
		return fmt.Errorf("flow: %w", err)
	}
	k.setFlow(g, source, id, ofgroup.ActionsText(flow.Actions...))
	return nil
}
