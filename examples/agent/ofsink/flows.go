package ofsink

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"

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
	// Table and Priority are those of the flows; see Flow.
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

// Flow returns the flow that hands the packets of a multicast group to OpenFlow groups. The first one
// is in the cookie.
func (l Layout) Flow(g mcast.Group, id ofgroup.ID, also ...ofgroup.ID) ofconn.FlowMod {
	match := to(g.Addr)
	if l.Segment != 0 {
		match = match.With(ofgroup.Is(l.Segment, g.Segment))
	}
	return ofconn.FlowMod{
		Command:  ofconn.FlowAdd,
		Table:    l.Table,
		Priority: l.Priority,
		Cookie:   l.Cookie | uint64(id),
		Match:    match,
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

// to matches what is sent to an address.
func to(a netip.Addr) ofgroup.Match {
	whole := netip.PrefixFrom(a, a.BitLen())
	if a.Is4() {
		return ofgroup.NewMatch(ofgroup.IsIPv4(), ofgroup.Within(ofgroup.IPDst, whole))
	}
	return ofgroup.NewMatch(ofgroup.IsIPv6(), ofgroup.Within(ofgroup.IPv6Dst, whole))
}

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

// sendFlow sends the flow of g. An added flow replaces one of the same match, so it may be sent again.
func (k *Sink[M]) sendFlow(ctx context.Context, to Flows, g mcast.Group, id ofgroup.ID) error {
	flow := k.cfg.Layout.Flow(g, id, k.also(g)...)
	if _, err := to.SendMessage(ctx, flow); err != nil {
		return fmt.Errorf("flow: %w", err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if e := k.entries[g]; e != nil && e.id == id {
		e.flow = ofgroup.ActionsText(flow.Actions...)
	}
	return nil
}

// ReplayFlows sends the flows of all groups that the table holds through to. It belongs into a
// connection's OnConnect, after the table's Replay: a flow that names a group which the switch does
// not have is refused. Flows whose turn comes after an error are sent all the same.
func (k *Sink[M]) ReplayFlows(ctx context.Context, to Flows) error {
	held := k.doubtAll()
	var (
		wg     sync.WaitGroup
		mu     sync.Mutex
		errs   []error
		places = make(chan struct{}, maxReplay)
	)
	for g, id := range held {
		places <- struct{}{}
		wg.Go(func() {
			defer func() { <-places }()
			if err := k.sendFlow(ctx, to, g, id); err != nil {
				mu.Lock()
				defer mu.Unlock()
				errs = append(errs, fmt.Errorf("ofsink: multicast group %v: %w", g, err))
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// maxReplay is how many flows of a replay are under way at a time; they share barriers.
const maxReplay = 256

// doubtAll forgets which flows the switch has, and returns the groups that it holds.
func (k *Sink[M]) doubtAll() map[mcast.Group]ofgroup.ID {
	k.mu.Lock()
	defer k.mu.Unlock()
	held := make(map[mcast.Group]ofgroup.ID)
	for g, e := range k.entries {
		e.flow = ""
		if _, state := k.cfg.Table.Lookup(e.id); state == ofgroup.Held {
			held[g] = e.id
		}
	}
	return held
}
