package mcast_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/mcast"
)

// moment is a line of testdata: a message, a checkpoint, or a host's new state.
type moment struct {
	T       float64
	MAC     string
	Type    string
	Group   netip.Addr
	Records []struct {
		Type    mcast.Kind
		Group   netip.Addr
		Sources []netip.Addr
	}
	Text  string
	Hosts map[string]struct {
		Present bool
		Version int
		Seen    string
		State   hostState
	}
	Host  string
	State hostState
}

type hostState map[netip.Addr]struct {
	Mode    string
	Sources []netip.Addr
}

func readMoments(t *testing.T, name string) (out []moment) {
	f, err := os.Open("testdata/" + name + ".jsonl.gz")
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var m moment
		require.NoError(t, json.Unmarshal(lines.Bytes(), &m))
		out = append(out, m)
	}
	require.NoError(t, lines.Err())
	return out
}

// local is nobody's membership.
var local = netip.MustParsePrefix("224.0.0.0/24")

func (m *moment) reports() (out []mcast.Report[string]) {
	add := func(g netip.Addr, version uint8, kind mcast.Kind, sources []netip.Addr) {
		if !local.Contains(g) {
			out = append(out, mcast.Report[string]{Group: mcast.Group{Addr: g}, Member: m.MAC, Kind: kind, Sources: sources, Version: version, At: sec(m.T)})
		}
	}
	switch m.Type {
	case "0x12":
		add(m.Group, 1, mcast.ModeIsExclude, nil)
	case "0x16":
		add(m.Group, 2, mcast.ModeIsExclude, nil)
	case "0x17":
		add(m.Group, 2, mcast.ChangeToInclude, nil)
	}
	for _, r := range m.Records {
		add(r.Group, 3, r.Type, r.Sources)
	}
	return out
}

// wants are the sources that a group gets: S1 to S9, and any other.
type wants [10]bool

func (w wants) String() string {
	out := ""
	for i, yes := range w {
		if yes {
			out += []string{"*", "1", "2", "3", "4", "5", "6", "7", "8", "9"}[i]
		}
	}
	return out
}

func (w *wants) add(accepts func(netip.Addr) bool) {
	for i := range w {
		s := netip.AddrFrom4([4]byte{198, 51, 100, byte(i)}) // 198.51.100.0 is any other
		w[i] = w[i] || accepts(s)
	}
}

// told is what the hosts can have said at a checkpoint: IGMPv1 and v2 hosts
// only the group.
func (m *moment) told() told {
	out := told{}
	for _, h := range m.Hosts {
		if h.Present {
			out.add(h.State, h.Version == 1 || h.Version == 2 || h.Seen == "V1" || h.Seen == "V2")
		}
	}
	return out
}

// told are the sources that each group gets.
type told map[netip.Addr]wants

func (t told) add(state hostState, old bool) {
	for g, s := range state {
		if local.Contains(g) {
			continue
		}
		w := t[g]
		w.add(func(a netip.Addr) bool {
			return old || slices.Contains(s.Sources, a) == (s.Mode == "INCLUDE")
		})
		t[g] = w
	}
}

func cached(c *mcast.Cache[string]) told {
	out := told{}
	for s := range c.Groups() {
		var w wants
		w.add(s.Filter().Accepts)
		out[s.Group().Addr] = w
	}
	return out
}

// unsettled are the checkpoints of each capture at which some hosts have left
// without a word or are just being asked.
var unsettled = map[string][]int{
	"kernel-v1": {2, 5}, "kernel-v2": {4, 5, 8, 16}, "kernel-v3": {9}, "mixed": {3},
}

// TestReplayedHostsAgreeWithWhatTheyDid replays captures of real hosts, each a
// member of its own, and compares at every checkpoint, per group, the sources
// that the cache forwards with those that the hosts have asked for.
func TestReplayedHostsAgreeWithWhatTheyDid(t *testing.T) {
	for name := range unsettled {
		t.Run(name, func(t *testing.T) {
			require.Empty(t, replay(t, name, func(mcast.Report[string]) bool { return true }))
		})
	}
}

// The comparison is worth something: a cache that does not hear leaves, or
// nothing but joins for all sources, does not pass it.
func TestAReplayWithoutLeavesDisagrees(t *testing.T) {
	for _, name := range []string{"kernel-v2", "kernel-v3", "mixed"} { // IGMPv1 has no leaves
		deaf := func(r mcast.Report[string]) bool { return r.Kind != mcast.ChangeToInclude }
		require.NotEmpty(t, replay(t, name, deaf), name)
	}
	require.NotEmpty(t, replay(t, "kernel-v3", func(r mcast.Report[string]) bool { return len(r.Sources) == 0 }))
}

// replay returns the checkpoints at which the cache disagrees with the hosts.
// At unsettled ones it has to lie between what is told and what was told in
// the last membership interval.
func replay(t *testing.T, name string, hears func(mcast.Report[string]) bool) (wrong []string) {
	timing := mcast.Timing{QI: 10 * time.Second, QRI: 2 * time.Second}
	r := newRig(t, mcast.Config[string]{Timing: timing})
	var history []moment // states that hosts were in
	n := 0
	for _, m := range readMoments(t, name) {
		r.to(m.T)
		for _, report := range m.reports() {
			if hears(report) {
				require.NoError(t, r.c.Apply(report))
			}
		}
		if m.Host != "" || m.Hosts != nil {
			history = append(history, m)
		}
		if m.Hosts == nil {
			continue
		}
		n++
		least, got := m.told(), cached(r.c)
		most := least
		if slices.Contains(unsettled[name], n) {
			most = toldSince(history, m.T-timing.GMI().Seconds())
		}
		if !within(least, got) || !within(got, most) {
			wrong = append(wrong, fmt.Sprintf("%d: %s: told %v, cached %v", n, m.Text, least, got))
		}
	}
	require.Greater(t, n, 5)
	r.to(1000)
	require.Empty(t, r.Holds())
	return wrong
}

// toldSince is the union of what was told since then.
func toldSince(history []moment, since float64) told {
	out := told{}
	for _, m := range history {
		if m.T < since {
			continue
		}
		out.add(m.State, false)
		for g, w := range m.told() {
			u := out[g]
			for i := range u {
				u[i] = u[i] || w[i]
			}
			out[g] = u
		}
	}
	return out
}

func within(a, b told) bool {
	for g, w := range a {
		for i := range w {
			if w[i] && !b[g][i] {
				return false
			}
		}
	}
	return true
}

// TestReplayedStorm has hundreds of joins and leaves at once, then sixty hosts
// of all versions.
func TestReplayedStorm(t *testing.T) {
	r := newRig(t, mcast.Config[string]{Timing: mcast.Timing{QI: 20 * time.Second, QRI: 5 * time.Second}})
	moments := readMoments(t, "storm")
	last := 0.0
	checks := map[float64]func(){
		9.0:  func() { require.Equal(t, 300, r.c.Statistics().Groups) },
		14.0: func() { require.Equal(t, 0, r.c.Statistics().Groups) },
		27.0: func() { require.Equal(t, 300, r.c.Statistics().Groups) },
		44.3: func() {
			require.Equal(t, 5, r.c.Statistics().Groups)
			for s := range r.c.Groups() {
				require.GreaterOrEqual(t, s.Len(), 40, "at least the hosts of version 3")
			}
		},
	}
	for _, m := range moments {
		for s, check := range checks {
			if s <= m.T {
				r.to(s)
				check()
				delete(checks, s)
			}
		}
		r.to(m.T)
		for _, report := range m.reports() {
			require.NoError(t, r.c.Apply(report))
			last = m.T
		}
	}
	require.Empty(t, checks)
	r.to(max(62.3, last))
	final := moments[slices.IndexFunc(moments, func(m moment) bool { return m.Text == "only n30 in 5 groups" })]
	require.True(t, within(final.told(), cached(r.c)))
	r.to(last + 49.9)
	require.NotZero(t, r.c.Statistics().Groups)
	r.to(last + 50)
	require.Zero(t, r.c.Statistics().Groups, fmt.Sprint(r.c.Statistics()))
}
