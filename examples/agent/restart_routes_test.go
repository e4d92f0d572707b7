//go:build linux

package main

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/agent/fdstore/fdstoretest"
	"github.com/ofmcast/ofmcast/internal/ovslab"
)

// lost returns how many packets between the first and the last that came are missing, and the longest
// time without one. None may have come twice.
func lost(t *testing.T, tap *ovslab.Receiver) (packets int, gap time.Duration) {
	t.Helper()
	requireNoneTwice(t, tap)
	arrivals := tap.Arrivals()
	slices.SortFunc(arrivals, func(a, b ovslab.Arrival) int { return int(a.Seq) - int(b.Seq) })
	for i := range arrivals[1:] {
		if n := int(arrivals[i+1].Seq - arrivals[i].Seq - 1); n > 0 {
			packets += n
			gap = max(gap, arrivals[i+1].At.Sub(arrivals[i].At))
		}
	}
	return packets, gap
}

// crossing is how many packets a stream has that goes through a restart, however long that takes.
const crossing = 5000

// streamsThroughARestart has streams cross the kernel in both directions, at 1,000 packets a second,
// while the agent is killed and another one started, and returns who saw what.
func streamsThroughARestart(t *testing.T, r *rig, store *fdstoretest.Store) (inside, outside *ovslab.Receiver) {
	p := r.launch(store, routing...)
	r.join("v3", group)
	r.join("outside", other)
	r.awaitBuckets(group, 5*time.Second, "3", gatewayPort)
	eventually(t, func() bool { return r.outerJoin(group) }, 2*time.Second, 20*time.Millisecond)
	r.openRoute("outside", "v3", group)
	r.openRoute("sender", "outside", other)
	inside, outside = r.tap("v3", group), r.tap("outside", other)
	sent := make(chan error, 2)
	for host, to := range map[string]ovslab.Stream{"outside": {To: group, Packets: crossing}, "sender": {To: other, Packets: crossing}} {
		go func() { sent <- r.lab.Host(host).Send(t.Context(), to) }()
	}
	for _, tap := range []*ovslab.Receiver{inside, outside} {
		_, err := tap.Await(within(t, 5*time.Second), 500)
		require.NoError(t, err)
	}
	p.kill()
	r.launch(store, routing...)
	require.NoError(t, <-sent)
	require.NoError(t, <-sent)
	time.Sleep(settled)
	for _, tap := range []*ovslab.Receiver{inside, outside} {
		arrivals := tap.Arrivals()
		require.EqualValues(t, crossing-1, arrivals[len(arrivals)-1].Seq, "the stream goes on in the end")
	}
	return inside, outside
}

func TestStreamsThroughTheKernelLoseNothingWhereTheirDescriptorIsKept(t *testing.T) {
	t.Parallel()
	r := newRouterLab(t, versions...)
	store, err := fdstoretest.Listen(filepath.Join(r.lab.Dir(), "notify"))
	require.NoError(t, err)
	defer store.Close()
	inside, outside := streamsThroughARestart(t, r, store)
	for name, tap := range map[string]*ovslab.Receiver{"inwards": inside, "outwards": outside} {
		n, _ := lost(t, tap)
		require.Zero(t, n, name)
	}
	require.Equal(t, []string{routingName}, store.Names())
}

func TestStreamsThroughTheKernelStopForTheTimeOfARestart(t *testing.T) {
	t.Parallel()
	r := newRouterLab(t, versions...)
	inside, outside := streamsThroughARestart(t, r, nil)
	for name, tap := range map[string]*ovslab.Receiver{"inwards": inside, "outwards": outside} {
		n, gap := lost(t, tap)
		t.Logf("%s: %d packets of 1,000 a second, %v", name, n, gap)
		require.NotZero(t, n, "then the store would be good for nothing")
		require.Less(t, gap, 3*time.Second)
	}
}

// The end of an agent that was told to leave nothing ends the routing too, kept or not.
func TestACleanExitEndsTheKeptRouting(t *testing.T) {
	t.Parallel()
	r := newRouterLab(t, versions...)
	store, err := fdstoretest.Listen(filepath.Join(r.lab.Dir(), "notify"))
	require.NoError(t, err)
	defer store.Close()
	vifs := func() string {
		out, err := r.lab.Node().Run(t.Context(), "sh", "-c", "cat /proc/net/ip_mr_vif")
		require.NoError(t, err)
		return out
	}
	for _, how := range []string{exitKeep, exitClean} {
		p := r.launch(store, append(slices.Clone(routing), "-on-exit", how)...)
		eventually(t, func() bool { return len(store.Names()) == 1 }, 5*time.Second, 10*time.Millisecond)
		p.stop()
		if how == exitKeep {
			require.Contains(t, vifs(), "up0")
		}
	}
	eventually(t, func() bool { return len(store.Names()) == 0 }, 5*time.Second, 10*time.Millisecond)
	require.NotContains(t, vifs(), "up0")
}
