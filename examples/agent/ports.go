package main

import (
	"maps"
	"slices"
	"time"

	"github.com/ofmcast/ofmcast/examples/agent/members"
	"github.com/ofmcast/ofmcast/igmp/snooper"
	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// onPortStatus follows the ports of the bridge. What is gone is forgotten at once; what is new is served
// when its settings have been read.
func (a *agent) onPortStatus(s ofconn.PortStatus, at time.Time) {
	p := s.Port.Number
	a.mu.Lock()
	had := a.descs[p]
	if s.Reason == ofconn.PortDeleted {
		delete(a.descs, p)
	} else {
		a.descs[p] = s.Port
	}
	if old, ok := a.layout.port(p); ok && (s.Reason == ofconn.PortDeleted || had.Name != s.Port.Name) {
		a.forget(old, at)
		a.layout = a.layout.without(p)
	}
	a.mu.Unlock()
	if s.Reason == ofconn.PortModified && had.Name == s.Port.Name {
		a.linkChanged(p, s.Port.State, at)
		return
	}
	a.follow.signal()
}

// linkChanged: behind a link that is down nobody listens, as when the other end of a veth pair went
// with its container. When it is up again whoever is there is asked at once.
func (a *agent) linkChanged(p ofgroup.Port, state ofconn.PortState, at time.Time) {
	if state&ofconn.PortLinkDown != 0 {
		a.cache.RemoveMember(members.Port(p), at)
		return
	}
	a.askEverybody()
}

// forget takes a port, and what was joined there, away at once: whoever was there sends no leave any
// more, and who gets the number next must not inherit anything. With the lock held.
func (a *agent) forget(p port, at time.Time) {
	a.snooper.RemovePort(snooper.Port(p.number))
	a.cache.RemoveMember(members.Port(p.number), at)
	maps.DeleteFunc(a.versions, func(k upstreamKey, _ uint8) bool { return k.port == p.number })
	a.log.Debug("port gone, or another one now", "port", p.name)
}

// adoptPorts learns all of the bridge's ports anew.
func (a *agent) adoptPorts(descs []ofconn.PortDesc) {
	a.mu.Lock()
	defer a.mu.Unlock()
	clear(a.descs)
	for _, d := range descs {
		a.descs[d.Number] = d
	}
}

// news is what a new layout means for others.
type news struct {
	ask     bool // there are hosts who should be asked what they want
	members bool // the groups of members look different
	routers bool // other ports lead to routers
	nodes   bool // there are other ways to other nodes
}

// relayout makes the layout what it is to be by the ports and settings that are known, and forgets what
// is not so any more. With the lock held.
func (a *agent) relayout(now time.Time) news {
	var n news
	descs := make([]ofconn.PortDesc, 0, len(a.descs))
	for _, d := range a.descs {
		descs = append(descs, d)
	}
	ports, errs := servedPorts(a.o, descs, a.settings)
	a.complain(errs)
	old := a.layout
	for _, p := range old.ports {
		if is, ok := find(ports, p.number); !ok || is.name != p.name || is.role != p.role {
			a.forget(p, now)
			n.members = true
		}
	}
	for _, p := range ports {
		was, ok := old.port(p.number)
		n.ask = n.ask || !ok || was.name != p.name || was.role != p.role || !was.vlans.equal(p.vlans)
		a.snooper.SetRole(snooper.Port(p.number), p.role.snooper())
		if a.descs[p.number].State&ofconn.PortLinkDown != 0 {
			a.cache.RemoveMember(members.Port(p.number), now)
		}
	}
	a.layout = newLayout(ports, a.o.vlans, nil)
	a.layout.routers = a.routerPorts(now)
	a.layout.tunnel = a.tunnelNow()
	a.routersSeen = a.snooper.Generation()
	a.leaveVLANs(old, now)
	a.keepQueriers()
	if n.routers = !old.sameRouters(a.layout); n.routers {
		a.log.Info("router ports", "ports", a.layout.routerNames())
	}
	n.nodes = !old.tunnel.equal(a.layout.tunnel)
	n.members = n.members || n.ask || n.routers || n.nodes
	return n
}

// leaveVLANs ends the memberships of ports in VLANs that they are not in any more. A port that has no
// VLAN in common with what it was is another port. From one that keeps some, the others are left: no
// bucket goes there from now on, and the membership ends when the question about it has had no answer.
func (a *agent) leaveVLANs(old layout, now time.Time) {
	for _, was := range old.ports {
		p, ok := a.layout.port(was.number)
		if !ok || p.vlans.equal(was.vlans) {
			continue
		}
		if !slices.ContainsFunc(old.vlans, func(v uint16) bool { return was.vlans.carries(v) && p.vlans.carries(v) }) {
			a.cache.RemoveMember(members.Port(p.number), now)
			continue
		}
		for _, m := range a.cache.MembershipsOf(members.Port(p.number)) {
			if !p.vlans.carries(uint16(m.Group.Segment)) {
				_ = a.cache.Apply(mcast.Leave(m.Group, members.Port(p.number), now)) // refused: it is gone already
			}
		}
	}
}

// complain logs what is wrong with the settings, each once for as long as it is so.
func (a *agent) complain(errs []error) {
	said := make(map[string]bool)
	for _, err := range errs {
		said[err.Error()] = true
		if !a.said[err.Error()] {
			a.log.Warn("port not served as it is set", "err", err)
		}
	}
	a.said = said
}

// bucketOf is how a member gets a group's packets: by its port, tagged or not, unless it is not in the
// VLAN or gets them as a router port already.
func (a *agent) bucketOf(g mcast.Group, member members.Member) (ofgroup.Bucket, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	vlan := uint16(g.Segment)
	if member.IsNode() {
		return a.layout.nodeBucket(member.Node, vlan)
	}
	p, ok := a.layout.port(member.Port)
	if !ok || !p.role.reports() || !p.vlans.carries(vlan) || a.layout.isRouter(p.number, vlan) {
		return ofgroup.Bucket{}, false
	}
	return p.vlans.bucket(p.number, vlan), true
}

// commonBuckets are those that every group has besides its members': the gateway's.
func (a *agent) commonBuckets(g mcast.Group) []ofgroup.Bucket {
	a.mu.Lock()
	defer a.mu.Unlock()
	var buckets []ofgroup.Bucket
	for _, p := range a.layout.ports {
		if vlan := uint16(g.Segment); p.role == roleGateway && p.vlans.untagged(vlan) {
			buckets = append(buckets, a.layout.outside(p, vlan))
		}
	}
	return buckets
}

// routerGroups is the group that gets every group's packets besides its members: the router ports', if
// there are any.
func (a *agent) routerGroups(g mcast.Group) []ofgroup.ID {
	a.mu.Lock()
	defer a.mu.Unlock()
	if vlan := uint16(g.Segment); len(a.layout.routers[vlan]) > 0 {
		return []ofgroup.ID{baseGroup(groupRouters, vlan)}
	}
	return nil
}

// gatewayVLAN is the VLAN that the kernel routes: that of frames without a tag on the gateway's port.
func (a *agent) gatewayVLAN() uint16 {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, p := range a.layout.ports {
		if p.name == a.o.gateway {
			return p.vlans.native
		}
	}
	return 0
}

// memberName names a member, for people.
func (a *agent) memberName(m members.Member) string {
	if m.IsNode() {
		return m.String()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.layout.name(m.Port)
}

// portName is the name of a port that is served; empty for any other.
func (a *agent) portName(p ofgroup.Port) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	served, _ := a.layout.port(p)
	return served.name
}

// portNames are the ports that are served, by number.
func (a *agent) portNames() map[ofgroup.Port]string {
	a.mu.Lock()
	defer a.mu.Unlock()
	names := make(map[ofgroup.Port]string)
	for _, p := range a.layout.ports {
		names[p.number] = p.name
	}
	return names
}
