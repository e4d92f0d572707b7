package exchange

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/mcast"
)

// The same random history, told by the engine and told directly, ends in the same forwarding: in the
// cache, row by row, and on a switch, group by group. In every fourth the engine is away for a while.
func TestBothWaysForwardTheSame(t *testing.T) {
	t.Parallel()
	e := startEngine(t)
	for seed := range uint64(12) {
		h, began := newHistory(seed), time.Now()
		bucket := func(c *Config[member]) { c.Bucket = fmt.Sprint("seed", seed); c.Cache = mcast.New(ordered()) }
		nodes := map[string]*peerNode{}
		for _, name := range h.nodes {
			nodes[name] = startNode(t, e, name, bucket)
		}
		told, direct := nodes["a"], mcast.New(ordered())
		toldSwitch, directSwitch := newForwarder(t), newForwarder(t)
		_, err := told.cache.AddSink("switch", toldSwitch, mcast.SinkConfig{MinRetry: 10 * time.Millisecond})
		require.NoError(t, err)
		_, err = direct.AddSink("switch", directSwitch, mcast.SinkConfig{MinInterval: -1})
		require.NoError(t, err)
		for i, s := range h.steps {
			if seed%4 == 3 && i == len(h.steps)/3 {
				e.kill()
			}
			if seed%4 == 3 && i == 2*len(h.steps)/3 {
				e.restart()
			}
			r := s.report()
			require.NoError(t, nodes[s.node].cache.Apply(r))
			if s.node != "a" {
				r = h.remote(s)
			}
			require.NoError(t, direct.Apply(r))
			direct.Advance(time.Now())
			require.NoError(t, direct.Flush(t.Context()))
		}
		want := forwarding(direct)
		settled := until(t, "the same rows", func() bool { return maps.Equal(want, forwarding(told.cache)) })
		require.Less(t, settled, openTimeout-time.Second, "an engine that is gone while it is asked is not waited for")
		until(t, "the same groups", func() bool { return slices.Equal(directSwitch.groups(), toldSwitch.groups()) })
		require.Equal(t, len(want), len(directSwitch.groups()), "the switch holds a group for each row")
		for _, n := range nodes {
			n.kill()
		}
		t.Log("seed", seed, "took", time.Since(began), "same after", settled)
	}
}

func ordered() mcast.Config[member] {
	return mcast.Config[member]{Order: func(a, b member) int {
		if a.port != b.port {
			return a.port - b.port
		}
		return cmpStrings(a.node, b.node)
	}}
}

func cmpStrings(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// forwarding is what a cache says of where data goes: group and source to members.
func forwarding(c *mcast.Cache[member]) map[string]string {
	rows := map[string]string{}
	for s := range c.Groups() {
		for source, members := range s.Forwarding() {
			rows[fmt.Sprint(s.Group(), " ", source)] = fmt.Sprint(slices.Collect(members))
		}
	}
	return rows
}

// history is what the ports of some nodes want in the course of time.
type history struct {
	nodes []string
	steps []step
	// wants is what each port wants, to work out what its node does without package mcast.
	wants map[where]filter
}

type where struct {
	node  string
	group mcast.Group
	port  int
}

// filter is what a port wants: all sources but those with a bit, or only those.
type filter struct {
	exclude bool
	sources uint8
}

type step struct {
	where
	filter
}

func newHistory(seed uint64) *history {
	rng := rand.New(rand.NewPCG(seed, 1))
	h := &history{nodes: []string{"a", "b", "c"}, wants: map[where]filter{}}
	groups := []mcast.Group{group("239.1.1.1"), group("239.1.1.1@7"), group("ff3e::8000:1")}
	for range 60 {
		h.steps = append(h.steps, step{
			where{h.nodes[rng.IntN(3)], groups[rng.IntN(3)], 1 + rng.IntN(3)},
			filter{rng.IntN(2) == 0, uint8(rng.IntN(8))},
		})
	}
	return h
}

// report is the step as the node's own cache is told; what is static ends at once.
func (s step) report() mcast.Report[member] {
	return s.filter.report(s.group, port(s.port), mcast.Owner{Kind: mcast.Static})
}

// remote is the step as another node is told: what all ports of the node want together by then.
func (h *history) remote(s step) mcast.Report[member] {
	h.wants[s.where] = s.filter
	var merged filter
	for w, f := range h.wants {
		if w.node == s.node && w.group == s.group {
			merged = merged.or(f)
		}
	}
	return merged.report(s.group, node(s.node), mcast.Owner{Kind: mcast.Remote, ID: s.node})
}

// or wants what either wants.
func (f filter) or(g filter) filter {
	switch {
	case !f.exclude && !g.exclude:
		return filter{false, f.sources | g.sources}
	case f.exclude && g.exclude:
		return filter{true, f.sources & g.sources}
	case f.exclude:
		return filter{true, f.sources &^ g.sources}
	default:
		return filter{true, g.sources &^ f.sources}
	}
}

func (f filter) report(g mcast.Group, m member, o mcast.Owner) mcast.Report[member] {
	r := mcast.Report[member]{Group: g, Member: m, Kind: mcast.ChangeToInclude, Owner: o, At: time.Now()}
	if f.exclude {
		r.Kind = mcast.ChangeToExclude
	}
	for i := range byte(8) {
		if f.sources&(1<<i) == 0 {
			continue
		}
		s := netip.AddrFrom4([4]byte{192, 0, 2, 1 + i})
		if g.Addr.Is6() {
			s = netip.AddrFrom16([16]byte{0x20, 1, 0xd, 0xb8, 15: 1 + i})
		}
		r.Sources = append(r.Sources, s)
	}
	return r
}
