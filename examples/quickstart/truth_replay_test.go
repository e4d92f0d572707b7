package main

import (
	"context"
	"maps"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/internal/capture"
	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/igmp/snooper"
	"github.com/ofmcast/ofmcast/mcast"
)

// witness feeds the frames of a capture to a cache whose members are MAC addresses.
type witness struct {
	t       *testing.T
	frames  []capture.Frame
	snooper *snooper.Snooper
	cache   *mcast.Cache[igmp.MAC]
	deaf    func(snooper.Record) bool // records that do not reach the cache
}

func newWitness(t *testing.T, name string, timing mcast.Timing, ssm []netip.Prefix) *witness {
	return &witness{
		t: t, frames: readFrames(t, name),
		snooper: snooper.New(snooper.Config{SSM: ssm}),
		cache:   mcast.New(mcast.Config[igmp.MAC]{Timing: timing}),
		deaf:    func(snooper.Record) bool { return false },
	}
}

// until runs to t, frames and timers of that very moment included.
func (w *witness) until(t time.Time) {
	for len(w.frames) > 0 && !w.frames[0].At.After(t) {
		w.advance(w.frames[0].At)
		for _, r := range w.snooper.Frame(1, w.frames[0].Data, w.frames[0].At).Records {
			if !w.deaf(r) {
				require.NoError(w.t, w.cache.Apply(mcast.Report[igmp.MAC]{
					Group: mcast.Group{Addr: r.Group}, Member: r.Host.MAC, Kind: mcast.Kind(r.Kind),
					Sources: r.Sources, Version: r.Version, At: r.At,
				}))
			}
		}
		w.frames = w.frames[1:]
	}
	w.advance(t)
}

func (w *witness) advance(t time.Time) {
	for next, ok := w.cache.Next(); ok && !next.After(t); next, ok = w.cache.Next() {
		w.cache.Advance(next)
		require.NoError(w.t, w.cache.Flush(context.Background()))
	}
	w.cache.Advance(t)
}

// believes is what the cache holds, group by group.
func (w *witness) believes() map[string]accepted {
	out := make(map[string]accepted)
	for s := range w.cache.Groups() {
		if s.Len() == 0 {
			continue
		}
		filter := s.Filter()
		var a accepted
		for i := range a {
			a[i] = filter.Accepts(sourceOf(i)) // 198.51.100.0 stands for any other source
		}
		out[s.Group().Addr.String()] = a
	}
	return out
}

// Moments at which a host had left without a word, or the last-member time was not over. There the
// cache may still hold what was told within the last membership interval.
var unsettled = map[string][]int{
	"kernel-v1": {2, 5},
	"kernel-v2": {4, 5, 8, 16},
	"kernel-v3": {9},
	"mixed":     {3},
}

var captureTiming = mcast.Timing{QI: 10 * time.Second, QRI: 2 * time.Second}

// disagreements are the numbers of the checkpoints, from 1, at which the cache does not hold what
// the hosts had told.
func disagreements(w *witness, name string) (found []int) {
	tr := readTruth(w.t, name)
	require.Greater(w.t, len(tr.checkpoints), 5)
	for i, c := range tr.checkpoints {
		w.until(c.at)
		upper := c.told
		if slices.Contains(unsettled[name], i+1) {
			upper = tr.toldWithin(captureTiming.GMI(), c.at)
		}
		if !between(c.told, w.believes(), upper) {
			found = append(found, i+1)
		}
	}
	return found
}

func between(lower, held, upper map[string]accepted) bool {
	groups := maps.Clone(lower)
	maps.Copy(groups, held)
	maps.Copy(groups, upper)
	for g := range groups {
		if !lower[g].within(held[g]) || !held[g].within(upper[g]) {
			return false
		}
	}
	return true
}

func TestMembershipIsWhatTheHostsHadJoined(t *testing.T) {
	for name := range unsettled {
		t.Run(name, func(t *testing.T) {
			require.Empty(t, disagreements(newWitness(t, name, captureTiming, []netip.Prefix{}), name))
		})
	}
}

// With the SSM range on, what differs is what v1 and v2 hosts say of groups there: they cannot name
// sources, so it is not taken.
func TestOnlySourceSpecificGroupsOfOldHostsAreLeftOut(t *testing.T) {
	for name, want := range map[string][]int{"kernel-v1": {4}, "kernel-v2": {6, 7}, "kernel-v3": nil, "mixed": {11, 15, 16}} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, want, disagreements(newWitness(t, name, captureTiming, nil), name))
		})
	}
}

// The test has teeth: a cache that hears no leaves fails it.
func TestACacheThatHearsNoLeavesIsFoundOut(t *testing.T) {
	for _, name := range []string{"kernel-v2", "kernel-v3", "mixed"} { // v1 hosts say no leaves
		t.Run(name, func(t *testing.T) {
			w := newWitness(t, name, captureTiming, []netip.Prefix{})
			w.deaf = func(r snooper.Record) bool { return r.Kind == igmp.ToIn || r.Kind == igmp.Block }
			require.NotEmpty(t, disagreements(w, name))
		})
	}
}

func TestStormOfJoinsAndLeaves(t *testing.T) {
	tr := readTruth(t, "storm")
	w := newWitness(t, "storm", mcast.Timing{QI: 20 * time.Second, QRI: 5 * time.Second}, nil)
	start, last := w.frames[0].At, w.frames[len(w.frames)-1].At
	at := func(seconds float64) map[string]accepted {
		w.until(start.Add(time.Duration(seconds * float64(time.Second))))
		return w.believes()
	}
	require.Len(t, at(9), 300)
	require.Empty(t, at(14))
	require.Len(t, at(27), 300)
	require.Len(t, at(44.3), 5)
	for s := range w.cache.Groups() {
		newest := 0
		for mac := range s.Members() {
			if tr.versionOf(mac) == 0 {
				newest++
			}
		}
		require.GreaterOrEqual(t, newest, 40, "v3 hosts do not suppress their reports: %v", s.Group())
	}
	require.Equal(t, tr.checkpoints[len(tr.checkpoints)-1].told, at(62.3), "one host is left, in all five groups")

	w.until(last.Add(50*time.Second - time.Microsecond))
	require.NotEmpty(t, w.believes())
	w.until(last.Add(50 * time.Second))
	require.Empty(t, w.believes(), "one membership interval after the last report")
}
