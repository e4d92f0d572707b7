package main

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func small() params {
	return params{Nodes: 50, Groups: 100, Joined: 10, Streams: 3, Zaps: 2, Time: 10 * time.Minute, Seed: 7,
		QI: 125 * time.Second, RV: 2, MTU: 1450, Lease: 15 * time.Second, Keep: time.Hour}
}

func TestTheSameSeedIsTheSameHistory(t *testing.T) {
	p := small()
	first := simulate(p, measured)
	require.Equal(t, first, simulate(p, measured))
	p.Seed++
	require.NotEqual(t, first, simulate(p, measured))
}

// Worked out by hand: two nodes in all of one group of two, with streams of both, and nothing changes.
func TestTwoQuietNodes(t *testing.T) {
	p := params{Nodes: 2, Groups: 2, Joined: 1, Streams: 2, Time: 1000 * time.Second, Seed: 1,
		QI: 100 * time.Second, RV: 2, MTU: 1450, Lease: 10 * time.Second, Keep: 300 * time.Second}
	r := simulate(p, measured)
	near := func(want, got float64, what string) {
		t.Helper()
		require.InDelta(t, want, got, 1e-9, what)
	}
	// In-band a report each 100 s, to one peer. A report of one group is 8 + 8 bytes in 24 of IPv4 and 14 of
	// Ethernet, in 50 of the tunnel.
	near(0.01, r.Flood.Mean.OutMsgs, "flood out")
	near(0.01, r.Flood.Mean.InMsgs, "flood in")
	near(0.01*104, r.Flood.Mean.InBytes, "flood bytes")
	near(1, r.Flood.Entries, "flood entries")
	near(measured.CacheEntry, r.Flood.State, "flood state")
	// Through the engine a renewal each 3 s and a rewrite each 100 s, each answered and delivered to both.
	beats := 1 / 3.0
	near(beats+0.01, r.Engine.Mean.OutMsgs, "engine out")
	near(3*beats+3*0.01, r.Engine.Mean.InMsgs, "engine in")
	near(2*(3*beats+3*0.01), r.Engine.Engine.OutMsgs, "the engine's own")
	// Both have streams of both groups: of interest is all there is.
	require.Equal(t, r.Engine, r.Partial)
}

// Whatever is sent arrives, and the engine has no messages but its nodes'.
func TestNothingIsMadeOrLost(t *testing.T) {
	p := small()
	r := simulate(p, measured)
	n := float64(p.Nodes)
	require.InEpsilon(t, r.Flood.Mean.OutBytes, r.Flood.Mean.InBytes, 1e-9)
	for _, w := range []way{r.Engine, r.Partial} {
		require.InEpsilon(t, n*w.Mean.InMsgs, w.Engine.OutMsgs, 1e-9)
		require.InEpsilon(t, n*w.Mean.InBytes, w.Engine.OutBytes, 1e-9)
		require.InEpsilon(t, n*w.Mean.OutBytes, w.Engine.InBytes, 1e-9)
		require.GreaterOrEqual(t, w.Max.InMsgs, w.Mean.InMsgs)
	}
	require.Less(t, r.Partial.Mean.InMsgs, r.Engine.Mean.InMsgs)
	require.Less(t, r.Partial.Entries, r.Engine.Entries)
	quiet := p
	quiet.Zaps = 0
	q := simulate(quiet, measured)
	changes := 2 * p.Zaps / 60 * n // of all nodes, a second
	require.InEpsilon(t, changes, r.Engine.Mean.InMsgs-q.Engine.Mean.InMsgs-changes/n, 0.001, "each change is delivered once, and answered")
	require.InEpsilon(t, changes*2*(n-1)/n, r.Flood.Mean.InMsgs-q.Flood.Mean.InMsgs, 0.001, "each change is told twice")
}

func TestReportsAreSplit(t *testing.T) {
	require.Equal(t, []int{104}, measured.splitReport(1, 1500))
	require.Equal(t, []int{50 + 14 + 24 + 8 + 183*8}, measured.splitReport(183, 1500))
	require.Len(t, measured.splitReport(184, 1500), 2)
	require.Len(t, measured.splitReport(184, 1450), 2)
	require.Empty(t, measured.splitReport(0, 1450)[1:])
}

// The constants are what an engine says.
func TestTheCostsAreMeasured(t *testing.T) {
	c, err := measure(t.Context())
	require.NoError(t, err)
	for what, pair := range map[string][2]float64{
		"write": {measured.Write, c.Write}, "answer": {measured.Ack, c.Ack}, "delivery": {measured.Deliver, c.Deliver},
		"renewal": {measured.RenewWrite, c.RenewWrite}, "its answer": {measured.RenewAck, c.RenewAck},
		"its delivery": {measured.RenewDeliver, c.RenewDeliver},
	} {
		require.InEpsilon(t, pair[0], pair[1], 0.03, what)
	}
	require.InEpsilon(t, measured.CacheEntry, c.CacheEntry, 0.3, "an entry of the cache")
}

func TestRows(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), strings.Fields("-nodes 10,20 -groups 50 -joined 5 -time 1m"), &out, io.Discard))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 4)
	require.Regexp(t, `^\| 10 \| [0-9.]+, [0-9.]+ k?bit \|`, lines[2])
	for _, args := range []string{"-nodes x", "-nodes 0", "-joined 5000", "-zaps -1", "-what", "-mtu 1", "-streams 3000"} {
		require.Error(t, run(t.Context(), strings.Fields(args), io.Discard, io.Discard), args)
	}
}
