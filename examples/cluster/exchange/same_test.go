package exchange

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/mcast"
)

// The same random history, told by the engine, told in-band, and told directly, ends in the same
// forwarding: in the cache, row by row, and on a switch, group by group. In every fourth the engine is
// away for a while, in another fourth one node dies; and the network of the in-band way is a bad one.
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
		told, direct, band := nodes["a"], mcast.New(ordered()), newInBand(t, seed, h.nodes)
		toldSwitch, directSwitch, bandSwitch := newForwarder(t, itself), newForwarder(t, itself), newForwarder(t, sharedMember)
		_, err := told.cache.AddSink("switch", toldSwitch, mcast.SinkConfig{MinRetry: 10 * time.Millisecond})
		require.NoError(t, err)
		_, err = direct.AddSink("switch", directSwitch, mcast.SinkConfig{MinInterval: -1})
		require.NoError(t, err)
		_, err = band.nodes["a"].cache.AddSink("switch", bandSwitch, mcast.SinkConfig{MinInterval: -1})
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
			band.apply(s)
		}
		if seed%4 == 1 {
			nodes["c"].kill()
			band.kill("c")
			direct.RemoveOwner(mcast.Owner{Kind: mcast.Remote, ID: "c"})
		}
		direct.Advance(time.Now())
		require.NoError(t, direct.Flush(t.Context()))
		band.settle()
		want := forwarding(direct, itself)
		settled := until(t, "the same rows", func() bool { return maps.Equal(want, forwarding(told.cache, itself)) })
		require.Less(t, settled, openTimeout-time.Second, "an engine that is gone while it is asked is not waited for")
		until(t, "the same groups", func() bool { return slices.Equal(directSwitch.groups(), toldSwitch.groups()) })
		require.Equal(t, len(want), len(directSwitch.groups()), "the switch holds a group for each row")
		maps.DeleteFunc(want, func(r string, _ string) bool { return strings.Contains(r, "ff3e::") })
		require.Equal(t, want, forwarding(band.nodes["a"].cache, sharedMember))
		require.Equal(t, ofIPv4(directSwitch.groups()), bandSwitch.groups())
		require.NotZero(t, band.lost)
		for _, n := range nodes {
			n.kill()
		}
		t.Log("seed", seed, "took", time.Since(began), "same after", settled, "in-band packets lost", band.lost)
	}
}

func ordered() mcast.Config[member] {
	return mcast.Config[member]{Order: byPlace}
}

func byPlace(a, b member) int {
	return cmp.Or(cmp.Compare(a.port, b.port), cmp.Compare(a.node, b.node))
}

func itself(m member) member { return m }

// forwarding is what a cache says of where data goes: group and source to members, as they are called here.
func forwarding[M comparable](c *mcast.Cache[M], as func(M) member) map[string]string {
	rows := map[string]string{}
	for s := range c.Groups() {
		for source, members := range s.Forwarding() {
			rows[fmt.Sprint(s.Group(), " ", source)] = fmt.Sprint(sorted(members, as))
		}
	}
	return rows
}

// sorted are members as they are called here, whose order is not that of either way.
func sorted[M comparable](members iter.Seq[M], as func(M) member) (all []member) {
	for m := range members {
		all = append(all, as(m))
	}
	slices.SortFunc(all, byPlace)
	return all
}

// ofIPv4 are the lines of IPv4 groups.
func ofIPv4(lines []string) []string {
	return slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(l, "ff3e::") })
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
	return report(s.filter, s.group, port(s.port), mcast.Owner{Kind: mcast.Static})
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
	return report(merged, s.group, node(s.node), mcast.Owner{Kind: mcast.Remote, ID: s.node})
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

func report[M comparable](f filter, g mcast.Group, m M, o mcast.Owner) mcast.Report[M] {
	r := mcast.Report[M]{Group: g, Member: m, Kind: mcast.ChangeToInclude, Owner: o, At: time.Now()}
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
