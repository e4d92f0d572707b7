package main

import (
	"context"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/ofmcast/ofmcast/examples/agent/view"
	"github.com/ofmcast/ofmcast/igmp/querier"
	"github.com/ofmcast/ofmcast/igmp/snooper"
	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/mroute"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// limits are the cache's. One port must not take the switch's groups from the others. A multicast group
// needs one, and one more for each source that is named.
func (o options) limits() mcast.Limits {
	const sources = groupIDs / 2
	return mcast.Limits{
		Groups: groupIDs / 2, GroupsPerMember: o.groupsPerPort,
		Sources: sources, TotalSourcesPerMember: sources / 8,
	}
}

// sources is what people can look at.
func (a *agent) sources() view.Sources {
	s := view.Sources{
		Bridge: a.o.bridge, Cache: a.cache, Limits: a.o.limits(), Ports: a.portInfos, PortName: a.portName,
		Switch: a.conn, GroupMods: a.mods.sent.Load, GroupID: a.groupID,
		Packets: a.flowPackets, Policy: a.policy.now.Load,
		Snooper: func() snooper.Counters {
			a.mu.Lock()
			defer a.mu.Unlock()
			return a.snooper.Counters()
		},
		Querier: a.querierSummary,
	}
	if len(a.o.uplinks) > 0 {
		s.Routes = func(ctx context.Context) (mroute.Status, error) { return a.routes.router.Status(ctx) }
		s.Check = a.checkRouting
	}
	return s
}

// checkRouting looks for what keeps packets away silently, and listens for streams with TTL 1.
func (a *agent) checkRouting(ctx context.Context) ([]mroute.Finding, error) {
	interfaces := append(slices.Clone(a.o.uplinks), a.o.gateway)
	return mroute.Check(ctx, mroute.CheckConfig{
		Socket: a.routes.socket, Inputs: interfaces, Outputs: interfaces, Listen: time.Second,
	})
}

// countedSender counts the GROUP_MODs of the table, which are those that memberships cause.
type countedSender struct {
	*ofconn.Conn
	sent atomic.Uint64
}

// Send implements ofgroup.Sender.
func (s *countedSender) Send(ctx context.Context, m *ofgroup.Mod) (ofgroup.Receipt, error) {
	s.sent.Add(1)
	return s.Conn.Send(ctx, m)
}

// groupID is the OpenFlow group of a multicast group for a source. While the switch is being programmed
// nobody can say.
func (a *agent) groupID(g mcast.Group, source netip.Addr) (ofgroup.ID, bool) {
	if !a.programming.TryLock() {
		return 0, false
	}
	sink := a.sink
	a.programming.Unlock()
	if sink == nil {
		return 0, false
	}
	return sink.ID(g, source)
}

// flowPackets are those that went to each of the sink's groups, by the flows that lead there: a group itself
// counts from 0 again whenever a member comes.
func (a *agent) flowPackets(ctx context.Context) (map[ofgroup.ID]uint64, error) {
	flows, err := a.conn.FlowStats(ctx, ofconn.FlowFilter{Table: tableGroups, Cookie: cookie, CookieMask: cookieMask})
	if err != nil {
		return nil, err
	}
	packets := make(map[ofgroup.ID]uint64, len(flows))
	for _, f := range flows {
		if id := ofgroup.ID(f.Cookie &^ cookieMask); isSinkGroup(id) {
			packets[id] += f.Packets
		}
	}
	return packets, nil
}

// portInfos are the ports as they are served.
func (a *agent) portInfos() []view.PortInfo {
	a.mu.Lock()
	defer a.mu.Unlock()
	infos := make([]view.PortInfo, len(a.layout.ports))
	for i, p := range a.layout.ports {
		infos[i] = view.PortInfo{
			Number: p.number, Name: p.name, Role: p.role.String(), VLANs: p.vlans.String(), Carries: p.vlans.of(a.layout.vlans),
			Down:    a.descs[p.number].State&ofconn.PortLinkDown != 0,
			Drained: a.policy.now.Load().Drained(p.name), Denied: a.policy.denied[p.number],
		}
	}
	return infos
}

// String says which VLANs are carried, and how; empty where no setting does.
func (c carriage) String() string {
	switch {
	case c.plain():
		return ""
	case c.access:
		return strconv.Itoa(int(c.native))
	}
	var words []string
	for _, vlan := range c.list {
		words = append(words, strconv.Itoa(int(vlan)))
	}
	if !c.listed {
		words = []string{"all"}
	}
	if c.native != 0 {
		words = append(words, "native "+strconv.Itoa(int(c.native)))
	}
	return "trunk of " + strings.Join(words, ", ")
}

// querierSummary is one querier for all VLANs: it is us where nobody else is.
func (a *agent) querierSummary() (querier.State, querier.Counters) {
	a.mu.Lock()
	defer a.mu.Unlock()
	state, sum := a.asker.State(), a.asker.Counters()
	for _, vlan := range a.layout.vlans {
		q := a.queriers[vlan]
		if q == nil {
			continue
		}
		if s := q.State(); !s.Querier {
			state = s
		}
		n := q.Counters()
		sum.GeneralQueries += n.GeneralQueries
		sum.SpecificQueries += n.SpecificQueries
	}
	return state, sum
}

// note notes for people what has happened.
func (a *agent) note(text string) { a.view.Note(view.Event{At: time.Now(), Text: text}) }
