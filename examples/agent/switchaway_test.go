//go:build linux

package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
)

// While the switch is away nobody can be heard, so that nobody's silence counts: a membership is there when
// the switch is back, whoever still wants it, and ends when hosts have had the time to answer.
func TestAMembershipOutlivesASwitchThatIsAwayForLonger(t *testing.T) {
	t.Parallel()
	// Two hosts at one port: the end of one must not be that of the link, with which memberships go at once.
	r := newLab(t, ovslab.HostConfig{Name: "a", Port: "shared"}, ovslab.HostConfig{Name: "b", Port: "shared"})
	p := r.launch(nil)
	r.join("a", group)
	r.awaitBuckets(group, 5*time.Second, "1")
	require.NoError(t, r.lab.KillSwitch())
	p.await("switch is away")
	require.NoError(t, r.lab.Host("a").Crash(t.Context())) // so that nobody answers later
	const life = 6 * time.Second                           // of a membership: twice the query interval, and the response time
	time.Sleep(life + time.Second)
	require.NoError(t, r.lab.RestartSwitch(within(t, 20*time.Second)))
	r.awaitBuckets(group, backWithin, "1")
	r.awaitGone(group, life+2*time.Second)
}

// The kernel's side of a stream lives on while the switch is away, but the interface between the two goes with a switch
// that forwards in user space, as here: the route has to follow to the new one.
func TestAStreamThroughTheKernelIsBackAfterARestartOfTheSwitch(t *testing.T) {
	t.Parallel()
	r := newRouterLab(t, versions...)
	p := r.launch(nil, routing...)
	r.join("v3", group)
	r.awaitBuckets(group, 5*time.Second, "3", gatewayPort)
	eventually(t, func() bool { return r.outerJoin(group) }, 2*time.Second, 20*time.Millisecond)
	r.openRoute("outside", "v3", group)
	tap := r.tap("v3", group)
	sent := make(chan error, 1)
	go func() { sent <- r.lab.Host("outside").Send(t.Context(), ovslab.Stream{To: group, Packets: crossing}) }()
	_, err := tap.Await(within(t, 5*time.Second), 500)
	require.NoError(t, err)
	require.NoError(t, r.lab.KillSwitch())
	p.await("switch is away")
	before := len(tap.Arrivals())
	began := r.accepting()
	arrivals, err := tap.Await(within(t, 10*time.Second), before+200)
	require.NoError(t, err)
	back := arrivals[before].At.Sub(began)
	require.NoError(t, <-sent)
	n, gap := lost(t, tap)
	t.Logf("back %v after the switch took connections; %d packets of 1,000 a second lost, the longest gap %v", back, n, gap)
	require.Less(t, back, backWithin)
}
