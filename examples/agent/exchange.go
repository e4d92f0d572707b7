package main

import (
	"context"
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

func (n *nodes) due(now time.Time) (packets []peers.Packet, wait time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	packets = n.x.Advance(now)
	wait = time.Minute
	if next, ok := n.x.Next(); ok {
		wait = min(wait, next.Sub(now))
	}
	return packets, wait
}

// exchangeLoop sends to other nodes what is due.
func (a *agent) exchangeLoop(ctx context.Context) error {
	for {
		packets, wait := a.nodes.due(time.Now())
		for _, p := range packets {
			if err := a.sendToNodes(ctx, p); err != nil { // it is said again
				a.log.Debug("other nodes not told", "to", p.To, "err", err)
			}
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil
		case <-a.nodes.wake:
			timer.Stop()
		case <-timer.C:
		}
	}
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
	if err != nil { // a stranger must not fill the log
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
