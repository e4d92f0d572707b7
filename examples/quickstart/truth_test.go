package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/igmp"
)

// truth is the log of the script that made a capture: what each host's sockets had joined, and when.
// It was written while the packets flew, from the hosts' own kernels, not from the packets.
type truth struct {
	hosts       map[string]truthHost
	events      []truthEvent // of single hosts, in order of time
	checkpoints []checkpoint
}

// truthHost is a host of the lab. Version 0 is a host that speaks what the querier speaks.
type truthHost struct {
	MAC     string `json:"mac"`
	Version int    `json:"force_igmp_version"`
}

// truthEvent is what a host was a member of from then on.
type truthEvent struct {
	at   time.Time
	host string
	told map[string]accepted
}

// checkpoint is a settled moment, with what all hosts that were plugged in were members of.
type checkpoint struct {
	at   time.Time
	told map[string]accepted
}

// hostState is a host's interface state: for each group its filter.
type hostState map[string]struct {
	Mode    string       `json:"mode"`
	Sources []netip.Addr `json:"sources"`
}

// accepted says which of the sources 198.51.100.1 to .9, and of all others (index 0), are accepted.
type accepted [10]bool

func sourceOf(i int) netip.Addr { return netip.AddrFrom4([4]byte{198, 51, 100, byte(i)}) }

func (a accepted) or(b accepted) accepted {
	for i := range a {
		a[i] = a[i] || b[i]
	}
	return a
}

// within says whether all that a accepts is accepted by b.
func (a accepted) within(b accepted) bool { return a.or(b) == b }

// told is what the protocol can say of a host's state: a host that speaks IGMPv1 or v2 can only name
// the group. Link-local groups are left out, as no snooper tracks them.
func told(state hostState, oldVersion bool) map[string]accepted {
	out := make(map[string]accepted)
	for group, filter := range state {
		if netip.MustParsePrefix("224.0.0.0/24").Contains(netip.MustParseAddr(group)) {
			continue
		}
		var a accepted
		for i := range a {
			a[i] = oldVersion || filter.Mode == "EXCLUDE"
		}
		for _, s := range filter.Sources {
			if !oldVersion {
				a[s.As4()[3]] = filter.Mode == "INCLUDE"
			}
		}
		out[group] = a
	}
	return out
}

func merge(into, from map[string]accepted) {
	for group, a := range from {
		into[group] = into[group].or(a)
	}
}

// toldWithin is all that any host told at any time of the interval that ends at t.
func (tr *truth) toldWithin(d time.Duration, t time.Time) map[string]accepted {
	union := make(map[string]accepted)
	for host := range tr.hosts {
		var standing map[string]accepted // at the beginning of the interval
		for _, e := range tr.events {
			switch {
			case e.host != host || e.at.After(t):
			case !e.at.After(t.Add(-d)):
				standing = e.told
			default:
				merge(union, e.told)
			}
		}
		merge(union, standing)
	}
	return union
}

// versionOf is the IGMP version that a host is held to, -1 for a stranger.
func (tr *truth) versionOf(mac igmp.MAC) int {
	for _, h := range tr.hosts {
		if h.MAC == mac.String() {
			return h.Version
		}
	}
	return -1
}

// truthLine is a line of the log.
type truthLine struct {
	Kind  string          `json:"kind"`
	T     float64         `json:"t"`
	Host  string          `json:"host"`
	State hostState       `json:"state"`
	Seen  string          `json:"kernel_querier_seen"`
	Hosts json.RawMessage `json:"hosts"`
}

// checkpointHost is a host in a checkpoint.
type checkpointHost struct {
	Present bool      `json:"present"`
	State   hostState `json:"state"`
	Kernel  struct {
		Seen string `json:"querier_seen"`
	} `json:"kernel"`
}

func readTruth(t *testing.T, name string) *truth {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", "truth", name+".jsonl.gz"))
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	unzipped, err := gzip.NewReader(file)
	require.NoError(t, err)
	tr := &truth{}
	lines := bufio.NewScanner(unzipped)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var l truthLine
		require.NoError(t, json.Unmarshal(lines.Bytes(), &l))
		tr.add(t, l)
	}
	require.NoError(t, lines.Err())
	return tr
}

func (tr *truth) add(t *testing.T, l truthLine) {
	at := time.UnixMicro(int64(l.T * 1e6))
	old := func(host, seen string) bool {
		return tr.hosts[host].Version != 0 || seen == "V1" || seen == "V2"
	}
	switch l.Kind {
	case "lab":
		require.NoError(t, json.Unmarshal(l.Hosts, &tr.hosts))
	case "op":
		tr.events = append(tr.events, truthEvent{at, l.Host, told(l.State, old(l.Host, l.Seen))})
	case "checkpoint":
		var hosts map[string]checkpointHost
		require.NoError(t, json.Unmarshal(l.Hosts, &hosts))
		c := checkpoint{at: at, told: make(map[string]accepted)}
		for name, h := range hosts {
			if says := told(h.State, old(name, h.Kernel.Seen)); h.Present {
				merge(c.told, says)
				tr.events = append(tr.events, truthEvent{at, name, says})
			}
		}
		tr.checkpoints = append(tr.checkpoints, c)
	}
}
