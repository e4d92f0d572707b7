//go:build linux

package main

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
)

// Four hosts on ports 1 to 4; the fifth sends.
var versions = []ovslab.HostConfig{
	{Name: "v1", IGMPVersion: 1}, {Name: "v2", IGMPVersion: 2}, {Name: "v3"}, {Name: "idle"}, {Name: "sender"},
}

func TestMembersOfEveryVersionGetTheStreamAndNobodyElse(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil, versions...)
	for _, h := range []string{"v1", "v2", "v3"} {
		r.join(h, group)
	}
	r.awaitBuckets(group, 5*time.Second, "1", "2", "3")
	taps := map[string]*ovslab.Receiver{}
	for _, h := range []string{"v1", "v2", "v3", "idle"} {
		taps[h] = r.tap(h, group)
	}
	r.send("sender", ovslab.Stream{To: group, Packets: 500})
	for _, h := range []string{"v1", "v2", "v3"} {
		requireOnce(t, taps[h], 500)
	}
	require.Empty(t, taps["idle"].Arrivals(), "a host that has not joined gets nothing")

	unwanted := r.tap("v3", other)
	r.send("sender", ovslab.Stream{To: other, Packets: 50})
	time.Sleep(settled)
	require.Empty(t, unwanted.Arrivals(), "nobody has joined the other group")
}

func TestQueriesKeepMembersForEver(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil, versions...)
	for _, h := range []string{"v1", "v2", "v3"} {
		r.join(h, group)
	}
	r.awaitBuckets(group, 5*time.Second, "1", "2", "3")
	// The membership interval is 6 s here: RV x QI + 2 x QRI. An IGMPv1 host takes up to 10 s to
	// answer (RFC 1112), so it may come and go with intervals as short as these.
	never(t, func() bool {
		have := r.bucketsOf(group)
		return !slices.Contains(have, "2") || !slices.Contains(have, "3")
	}, 8*time.Second, 100*time.Millisecond)
}

func TestAStreamStopsAfterTheLastMemberTimeAndNotBefore(t *testing.T) {
	for _, host := range []string{"v2", "v3"} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, nil, versions...)
			m := r.join(host, group)
			port := map[string]string{"v2": "2", "v3": "3"}[host]
			r.awaitBuckets(group, 5*time.Second, port)
			tap := r.tap(host, group)
			sent := make(chan error, 1)
			go func() {
				sent <- r.lab.Host("sender").Send(t.Context(), ovslab.Stream{To: group, Packets: 5000})
			}()
			_, err := tap.Await(within(t, 5*time.Second), 500)
			require.NoError(t, err)
			left := time.Now()
			require.NoError(t, m.Leave())
			require.NoError(t, <-sent)

			requireNoneTwice(t, tap)
			arrivals := tap.Arrivals()
			last := arrivals[len(arrivals)-1].At.Sub(left)
			require.Greater(t, last, 1990*time.Millisecond, "the last-member time is 2 s")
			require.Less(t, last, 2300*time.Millisecond)
			r.awaitGone(group, time.Second)
		})
	}
}

func TestEitherOfTwoHostsBehindAPortLeavesAndTheOtherKeepsItsStream(t *testing.T) {
	t.Parallel()
	for leaver, stayer := range map[string]string{"a": "b", "b": "a"} {
		t.Run(leaver+" leaves", func(t *testing.T) { oneOfTwoLeaves(t, leaver, stayer) })
	}
}

func oneOfTwoLeaves(t *testing.T, leaver, stayer string) {
	t.Parallel()
	r := newRig(t, nil,
		ovslab.HostConfig{Name: "a", Port: "shared", IGMPVersion: 2}, ovslab.HostConfig{Name: "b", Port: "shared", IGMPVersion: 2},
		ovslab.HostConfig{Name: "sender"})
	members := map[string]*ovslab.Membership{}
	for _, h := range []string{"a", "b"} {
		members[h] = r.join(h, group)
	}
	r.awaitBuckets(group, 5*time.Second, "1")
	tap := r.tap(stayer, group)
	sent := make(chan error, 1)
	go func() {
		sent <- r.lab.Host("sender").Send(t.Context(), ovslab.Stream{To: group, Packets: 5000})
	}()
	_, err := tap.Await(within(t, 5*time.Second), 300)
	require.NoError(t, err)
	require.NoError(t, members[leaver].Leave())
	require.NoError(t, <-sent)
	requireOnce(t, tap, 5000)
}

func TestADeletedPortLosesItsBucketAtOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil, versions...)
	r.join("v2", group)
	r.join("v3", group)
	r.awaitBuckets(group, 5*time.Second, "2", "3")
	const atOnce = 1500 * time.Millisecond // a query would take 2 s to remain unanswered
	require.NoError(t, r.lab.DelPort(t.Context(), "v3"))
	r.awaitBuckets(group, atOnce, "2")
	require.NoError(t, r.lab.DelPort(t.Context(), "v2"))
	r.awaitGone(group, atOnce)
	require.NoError(t, r.lab.AddPort(t.Context(), "v3"))
	r.awaitBuckets(group, 5*time.Second, "3") // its host is still there, and answers the next query
}

func TestAHostThatVanishesWithItsLinkIsNoMemberAnyMore(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil, versions...)
	r.join("v2", group)
	r.join("v3", group)
	r.awaitBuckets(group, 5*time.Second, "2", "3")
	_, err := r.lab.Host("v3").Run(t.Context(), "ip", "link", "set", "dev", "eth0", "down")
	require.NoError(t, err)
	r.awaitBuckets(group, time.Second, "2")
	_, err = r.lab.Host("v3").Run(t.Context(), "ip", "link", "set", "dev", "eth0", "up")
	require.NoError(t, err)
	r.awaitBuckets(group, 5*time.Second, "2", "3")
}

func TestARejoinWorks(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil, versions...)
	for range 2 {
		m := r.join("v3", group)
		r.awaitBuckets(group, 5*time.Second, "3")
		require.NoError(t, m.Leave())
		r.awaitGone(group, 4*time.Second)
	}
}

func TestVersion3HostsGoOnSpeakingVersion3(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil, versions...)
	reports, err := r.lab.Host("v3").Capture(isIGMPFromHost)
	require.NoError(t, err)
	r.join("v3", group)
	_, err = reports.Await(within(t, 12*time.Second), atLeast(5))
	require.NoError(t, err)
	for _, f := range reports.Frames() {
		require.EqualValues(t, 0x22, igmpType(f.Data), "a version 3 report")
	}
}

func TestAForgedQueryFromAMemberPortChangesNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil, versions...)
	r.join("v2", group)
	r.awaitBuckets(group, 5*time.Second, "2")
	seen, err := r.lab.Host("v2").Capture(isQueryFrom(r.lab.Host("idle").Addr()))
	require.NoError(t, err)
	for range 3 {
		require.NoError(t, r.lab.Host("idle").Inject(forgedQuery(t, r.lab.Host("idle"))))
	}
	ours, err := r.lab.Host("v2").Capture(isGeneralQuery)
	require.NoError(t, err)
	_, err = ours.Await(within(t, 5*time.Second), atLeast(2))
	require.NoError(t, err, "we are still the querier")
	require.Empty(t, seen.Frames(), "no host hears it")
	require.Equal(t, []string{"2"}, r.bucketsOf(group))
}

func TestARestartedSwitchForwardsAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil, versions...)
	r.join("v2", group)
	r.join("v3", group)
	r.awaitBuckets(group, 5*time.Second, "2", "3")
	require.NoError(t, r.lab.RestartSwitch(within(t, 20*time.Second)))
	r.awaitBuckets(group, 10*time.Second, "2", "3")
	tap := r.tap("v3", group)
	r.send("sender", ovslab.Stream{To: group, Packets: 200})
	requireOnce(t, tap, 200)
}

func TestIPv6WorksBetweenHosts(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil, ovslab.HostConfig{Name: "a", IPv6: true}, ovslab.HostConfig{Name: "b", IPv6: true})
	a, b := r.lab.Host("a"), r.lab.Host("b")
	m := r.join("a", group)
	for _, state := range []string{"with a member", "after it left"} {
		require.NoError(t, a.Reach(within(t, 5*time.Second), b, b.Addr6()), state)
		require.NoError(t, a.Reach(within(t, 5*time.Second), b, b.Addr()), state)
		// What was found out is forgotten, so that neighbour discovery has to work again.
		for _, h := range []*ovslab.Host{a, b} {
			_, err := h.Run(t.Context(), "ip", "neigh", "flush", "all")
			require.NoError(t, err)
		}
		_ = m.Leave()
		r.awaitGone(group, 5*time.Second)
	}
}

// With a gateway, everything that local hosts send reaches the kernel, members or not; what the
// kernel sends in reaches members.
func TestTheGatewayGetsACopyOfEverything(t *testing.T) {
	t.Parallel()
	r := newGatewayRig(t, versions...)
	gateway, err := r.lab.Capture("gw0", isStreamTo(group))
	require.NoError(t, err)
	r.send("sender", ovslab.Stream{To: group, Packets: 100})
	_, err = gateway.Await(within(t, 5*time.Second), atLeast(100))
	require.NoError(t, err, "before anybody has joined")

	for _, h := range []string{"v1", "v2", "v3"} {
		r.join(h, group)
	}
	r.awaitBuckets(group, 5*time.Second, "1", "2", "3", gatewayPort)
	tap := r.tap("v3", group)
	r.send("sender", ovslab.Stream{To: group, Packets: 100})
	requireOnce(t, tap, 100)
	_, err = gateway.Await(within(t, 5*time.Second), atLeast(200))
	require.NoError(t, err)
	require.Len(t, gateway.Frames(), 200)
}
