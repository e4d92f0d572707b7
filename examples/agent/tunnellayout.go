package main

import (
	"net/netip"
	"slices"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// tunnel is what leads to other nodes. Its flows see to it that no packet takes two ways: what came from
// another node goes to members here and nowhere else, and what came from outside to no other node, which
// has its own way to the outside.
type tunnel struct {
	port  ofgroup.Port // 0: there is none
	id    uint64       // the tunnels' key
	peers []netip.Addr // ascending
}

func (t tunnel) is() bool { return t.port != 0 }

func (t tunnel) equal(o tunnel) bool {
	return t.port == o.port && t.id == o.id && slices.Equal(t.peers, o.peers)
}

// tunnelNow is what leads to other nodes now. With the lock held.
func (a *agent) tunnelNow() tunnel {
	for _, p := range a.layout.ports {
		if a.nodes != nil && p.name == a.o.tunnel {
			return tunnel{port: p.number, id: a.o.tunnelKey, peers: a.nodes.list()}
		}
	}
	return tunnel{}
}

func (t tunnel) isAt(p ofgroup.Port) bool { return t.is() && t.port == p }

// whence is where a packet came from, for the tables behind; outPort is where it shall go.
var whence, outPort = ofgroup.Reg(1), ofgroup.Reg(2)

const (
	fromHere    uint32 = 1
	fromOutside uint32 = 2
	fromTunnel  uint32 = 3
)

func (l layout) origin(p port) uint32 {
	switch {
	case l.tunnel.isAt(p.number):
		return fromTunnel
	case p.role == roleGateway || p.role.mayRoute():
		return fromOutside
	}
	return fromHere
}

// tunnelHooks take what comes out of a tunnel. Reports are the agent's by another flow, of a higher
// priority; other link-local groups end at the node, and what is in no VLAN that is served goes nowhere.
func (l layout) tunnelHooks(p port, from ofgroup.Match) []ofconn.FlowMod {
	if !l.tunnel.isAt(p.number) {
		return []ofconn.FlowMod{flow(tableHook, 210, from)}
	}
	flows := l.portHooks(206, p, from)
	return append(flows,
		flow(tableHook, 208, ofgroup.NewMatch(ofgroup.IsIPv4(), ofgroup.Is(ofgroup.InPort, p.number), ofgroup.Within(ofgroup.IPDst, linkLocal))),
		flow(tableHook, 204, from))
}

// tunnelFlows are the conditions under which packets go on.
func (l layout) tunnelFlows() []ofconn.FlowMod {
	if !l.tunnel.is() {
		return nil
	}
	every := ofgroup.NewMatch()
	from := func(origin uint32) ofgroup.Match { return ofgroup.NewMatch(ofgroup.Is(whence, origin)) }
	return []ofconn.FlowMod{
		flow(tableGroups, 10, from(fromTunnel).With(ofgroup.IsIPv4())), // nobody here wants it
		flow(tableOutside, 10, from(fromTunnel)),
		flow(tableOutside, 0, every, ofgroup.OutputField(outPort, 0xffff)),
		flow(tableTunnel, 10, from(fromOutside)),
		flow(tableTunnel, 10, from(fromTunnel)),
		flow(tableTunnel, 0, every, ofgroup.Output(l.tunnel.port)),
	}
}

// outside is the bucket for a port beyond which others are, and not hosts of ours.
func (l layout) outside(p port, vlan uint16) ofgroup.Bucket {
	b := p.vlans.bucket(p.number, vlan)
	if !l.tunnel.is() {
		return b
	}
	out := ofgroup.NewBucket(append(tags(p, vlan), ofgroup.Set(outPort, uint32(p.number)), ofgroup.Resubmit(tableOutside))...)
	if id, ok := b.ID(); ok {
		out = out.WithID(id)
	}
	return out
}

// tags are what a frame without a tag needs to be in a VLAN on a port.
func tags(p port, vlan uint16) []ofgroup.Action {
	out := p.vlans.out(p.number, vlan)
	return slices.Clone(out[:len(out)-1])
}

// baseBucket is a port's bucket in a base group. That of router ports is beside every group's members.
func (l layout) baseBucket(kind ofgroup.ID, p port, vlan uint16) ofgroup.Bucket {
	if kind == groupRouters {
		return l.outside(p, vlan)
	}
	return p.vlans.bucket(p.number, vlan)
}

// nodeBuckets is above the numbers of the buckets for nodes; the n-th of the other nodes has nodeBuckets
// + n, unless that is a port's.
const nodeBuckets = 5000

// nodeBucket is the bucket for another node in a VLAN, or says that it is none of ours.
func (l layout) nodeBucket(node netip.Addr, vlan uint16) (ofgroup.Bucket, bool) {
	n, known := slices.BinarySearchFunc(l.tunnel.peers, node, netip.Addr.Compare)
	p, ok := l.port(l.tunnel.port)
	if !known || !ok || !p.vlans.carries(vlan) {
		return ofgroup.Bucket{}, false
	}
	actions := append(tags(p, vlan), l.tunnel.to(node)...)
	return l.numbered(n, ofgroup.NewBucket(append(actions, ofgroup.Resubmit(tableTunnel))...)), true
}

func (l layout) numbered(n int, b ofgroup.Bucket) ofgroup.Bucket {
	id := nodeBuckets + 1 + ofgroup.BucketID(n)
	if _, taken := l.port(ofgroup.Port(id)); taken {
		return b
	}
	return b.WithID(id)
}

// to are the actions that choose a node.
func (t tunnel) to(node netip.Addr) []ofgroup.Action {
	return []ofgroup.Action{ofgroup.Set(ofgroup.TunDst, node), ofgroup.Set(ofgroup.TunID, t.id)}
}

// peersGroup sends a packet to every other node.
func (l layout) peersGroup() ofgroup.Group {
	g := ofgroup.New(groupPeers, ofgroup.All)
	for n, node := range l.tunnel.peers {
		g = g.AddBuckets(l.numbered(n, ofgroup.NewBucket(append(l.tunnel.to(node), ofgroup.Output(l.tunnel.port))...)))
	}
	return g
}

// rate is that of a port's meter: through the tunnel all the other nodes speak.
func (l layout) rate(one uint32, p ofgroup.Port) uint32 {
	if l.tunnel.isAt(p) {
		return one * max(1, uint32(len(l.tunnel.peers)))
	}
	return one
}
