package exchange

import (
	"context"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/agent/members"
	tunnel "github.com/ofmcast/ofmcast/examples/agent/peers"
	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// inBand are nodes that tell each other with IGMP reports what they want. Their clock is the test's, and
// so is the network: as long as it is bad it loses packets, brings some twice, and late.
type inBand struct {
	t       *testing.T
	rng     *rand.Rand
	bad     bool
	now     time.Time
	nodes   map[string]*inBandNode
	flights []flight
	lost    int
}

type flight struct {
	to    string
	frame []byte
	lands time.Time
}

type inBandNode struct {
	exchange *tunnel.Exchange
	cache    *mcast.Cache[members.Member]
	now      *time.Time
}

// addressOf is a node's address, in the order of the names.
func addressOf(node string) netip.Addr { return netip.AddrFrom4([4]byte{192, 0, 2, node[0]}) }

// sharedMember is who a member of the in-band way is here.
func sharedMember(m members.Member) member {
	if m.IsNode() {
		return node(string(m.Node.AsSlice()[3:]))
	}
	return port(int(m.Port))
}

func newInBand(t *testing.T, seed uint64, names []string) *inBand {
	t.Helper()
	b := &inBand{t: t, rng: rand.New(rand.NewPCG(seed, 2)), bad: true, now: time.Unix(1e9, 0), nodes: map[string]*inBandNode{}}
	var all []netip.Addr
	for _, name := range names {
		all = append(all, addressOf(name))
	}
	for _, name := range names {
		others, err := tunnel.Clean(addressOf(name), all)
		require.NoError(t, err)
		x, err := tunnel.New(tunnel.Config{Node: addressOf(name), MAC: igmp.MAC{2, 5: name[0]}, Peers: others})
		require.NoError(t, err)
		n := &inBandNode{exchange: x, cache: mcast.New(mcast.Config[members.Member]{Order: members.Compare}), now: &b.now}
		_, err = n.cache.AddSink("nodes", n, mcast.SinkConfig{MinInterval: -1})
		require.NoError(t, err)
		x.Begin(b.now)
		b.nodes[name] = n
	}
	return b
}

// Sync has the other nodes told what the ports of this one want.
func (n *inBandNode) Sync(_ context.Context, s mcast.State[members.Member]) error {
	n.exchange.Set(s.Group(), members.Local(s), *n.now)
	return nil
}

// apply is a step, and some time after it. IGMP is for IPv4.
func (b *inBand) apply(s step) {
	b.t.Helper()
	if s.group.Addr.Is4() {
		r := report(s.filter, s.group, members.Port(ofgroup.Port(s.port)), mcast.Owner{Kind: mcast.Static})
		r.At = b.now
		require.NoError(b.t, b.nodes[s.node].cache.Apply(r))
	}
	b.pass(time.Duration(b.rng.IntN(3000)) * time.Millisecond)
}

// kill ends a node without a word to the others.
func (b *inBand) kill(node string) { delete(b.nodes, node) }

// settle passes the time that a well-behaved network needs to repair everything.
func (b *inBand) settle() {
	b.t.Helper()
	b.bad = false
	b.pass(time.Minute)
}

func (b *inBand) pass(d time.Duration) {
	b.t.Helper()
	const tick = 20 * time.Millisecond
	for end := b.now.Add(d); b.now.Before(end); b.now = b.now.Add(tick) {
		b.land()
		for name, n := range b.nodes {
			n.cache.Advance(b.now)
			require.NoError(b.t, n.cache.Flush(b.t.Context()))
			for _, p := range n.exchange.Advance(b.now) {
				b.send(name, p)
			}
		}
	}
}

func (b *inBand) send(from string, p tunnel.Packet) {
	for name := range b.nodes {
		if name == from || p.To.IsValid() && p.To != addressOf(name) {
			continue
		}
		copies, delay := 1, 0
		if b.bad {
			copies, delay = []int{0, 1, 1, 2}[b.rng.IntN(4)], b.rng.IntN(1500)
		}
		if copies == 0 {
			b.lost++
		}
		for range copies {
			b.flights = append(b.flights, flight{name, p.Frame, b.now.Add(time.Duration(delay) * time.Millisecond)})
		}
	}
}

// land delivers what has arrived.
func (b *inBand) land() {
	b.t.Helper()
	var still []flight
	for _, f := range b.flights {
		n := b.nodes[f.to]
		switch {
		case n == nil:
			continue
		case f.lands.After(b.now):
			still = append(still, f)
			continue
		}
		reports, err := n.exchange.Heard(f.frame, b.now)
		require.NoError(b.t, err)
		for _, r := range reports {
			require.NoError(b.t, n.cache.Apply(r))
		}
	}
	b.flights = still
}
