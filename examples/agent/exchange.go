package main

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/ofmcast/ofmcast/examples/agent/members"
	"github.com/ofmcast/ofmcast/examples/agent/peers"
	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// farewellTime bounds the farewell, whatever the others ask meanwhile.
const farewellTime = 3 * time.Second

// nodes are the other nodes: what they are told and what is heard from them, through the tunnel.
type nodes struct {
	wake trigger // there is something to send

	mu    sync.Mutex // held while what was heard is applied, so that who is removed says nothing behind that
	x     *peers.Exchange
	peers []netip.Addr // ascending
}

// newNodes makes them, and has them told of what changes here.
func (a *agent) newNodes(mac igmp.MAC) error {
	addrs, err := a.o.peerList()
	if err != nil {
		return err
	}
	x, err := peers.New(a.o.exchange(mac))
	if err != nil {
		return err
	}
	a.nodes = &nodes{wake: newTrigger(), x: x}
	if err := a.nodes.set(a.o.node, addrs); err != nil {
		return err
	}
	_, err = a.cache.AddSink("nodes", a.nodes, mcast.SinkConfig{MinInterval: a.o.groupInterval})
	return err
}

func (n *nodes) set(self netip.Addr, addrs []netip.Addr) error {
	clean, err := peers.Clean(self, addrs)
	if err == nil {
		err = n.x.SetPeers(clean)
	}
	if err == nil {
		n.peers = clean
	}
	return err
}

// list are the addresses of the other nodes.
func (n *nodes) list() []netip.Addr {
	if n == nil {
		return nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.peers
}

// Sync implements mcast.Sink: what is wanted here is told. What others want they tell themselves.
func (n *nodes) Sync(_ context.Context, s mcast.State[members.Member]) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.x.Set(s.Group(), members.Local(s), time.Now())
	n.wake.signal()
	return nil
}

// begin has the others asked and told anew.
func (n *nodes) begin() {
	if n == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.x.Begin(time.Now())
	n.wake.signal()
}

// leave has the others told that nothing is wanted here any more.
func (n *nodes) leave() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.x.Leave(time.Now())
}

// due is what is to be sent now, and how long after now there is more, if there ever is.
func (n *nodes) due(now time.Time) (packets []peers.Packet, wait time.Duration, more bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	packets = n.x.Advance(now)
	next, more := n.x.Next()
	return packets, next.Sub(now), more
}

// exchangeLoop sends to other nodes what is due.
func (a *agent) exchangeLoop(ctx context.Context) error {
	for {
		var next <-chan time.Time
		if wait, more := a.tellNodes(ctx); more {
			next = time.After(wait)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-a.nodes.wake:
		case <-next:
		}
	}
}

// farewell tells the other nodes that nothing is wanted here any more: they shall not send to a node that
// has ended until its lease has, too.
func (a *agent) farewell(ctx context.Context) {
	if a.nodes == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, farewellTime)
	defer cancel()
	a.nodes.leave()
	for wait, more := a.tellNodes(ctx); more; wait, more = a.tellNodes(ctx) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// tellNodes sends what is due, and says how long it is until more is, if there ever is.
func (a *agent) tellNodes(ctx context.Context) (wait time.Duration, more bool) {
	packets, wait, more := a.nodes.due(time.Now())
	for _, p := range packets {
		if err := a.sendToNodes(ctx, p); err != nil { // it is said again
			a.log.Debug("other nodes not told", "to", p.To, "err", err)
		}
	}
	return wait, more
}

// sendToNodes sends a frame to one node, or to all by one group.
func (a *agent) sendToNodes(ctx context.Context, p peers.Packet) error {
	a.mu.Lock()
	t := a.layout.tunnel
	a.mu.Unlock()
	if !t.is() {
		return errNoTunnel
	}
	actions := []ofgroup.Action{ofgroup.OutputGroup(groupPeers)}
	if p.To.IsValid() {
		actions = append(t.to(p.To), ofgroup.Output(t.port))
	}
	return a.sendFrame(ctx, p.Frame, actions...)
}

// hearNode takes in what came through the tunnel, and says whether it did.
func (a *agent) hearNode(p *ofconn.PacketIn, at time.Time) bool {
	a.mu.Lock()
	through := a.layout.tunnel.isAt(p.InPort)
	a.mu.Unlock()
	if !through {
		return false
	}
	a.nodes.mu.Lock()
	defer a.nodes.mu.Unlock()
	reports, err := a.nodes.x.Heard(p.Frame, at)
	switch {
	case errors.Is(err, peers.ErrOurs):
		a.calm.Warn("another node says that it is this one, or the tunnel returns what was sent", "node", a.o.node)
	case err != nil: // a stranger must not fill the log
		a.log.Debug("ignored what came through the tunnel", "err", err)
	}
	for _, r := range reports {
		_ = a.cache.Apply(r) // refused: the cache counts it
	}
	a.nodes.wake.signal() // there may be an answer to give
	return true
}

// setPeers says who the other nodes are from now on. What one wants that is none any more ends at once:
// it is found by the members there are, not by who was in the list before.
func (a *agent) setPeers(addrs []netip.Addr) error {
	a.nodes.mu.Lock()
	defer a.nodes.mu.Unlock()
	if err := a.nodes.set(a.o.node, addrs); err != nil {
		return err
	}
	gone := make(map[netip.Addr]bool)
	for s := range a.cache.Groups() {
		for m := range s.Members() {
			if m.IsNode() && !slices.Contains(a.nodes.peers, m.Node) {
				gone[m.Node] = true
			}
		}
	}
	for node := range gone {
		a.cache.RemoveOwner(peers.Owner(node))
	}
	a.follow.signal()
	return nil
}
