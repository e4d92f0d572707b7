//go:build linux

package main

import (
	"context"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
)

// newLabInMode is newLab with a bridge of another fail mode.
func newLabInMode(t *testing.T, mode string, hosts ...ovslab.HostConfig) *rig {
	t.Helper()
	return &rig{t: t, lab: ovslab.NewNet(t, ovslab.NetConfig{Hosts: hosts, FailMode: mode})}
}

// accepting starts the switch again and returns when it has begun to take connections.
func (r *rig) accepting() time.Time {
	r.t.Helper()
	began := make(chan time.Time, 1)
	ctx := within(r.t, 20*time.Second)
	go func() {
		for ctx.Err() == nil {
			if c, err := r.lab.Dial(ctx); err == nil {
				began <- time.Now()
				_ = c.Close()
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	require.NoError(r.t, r.lab.RestartSwitch(ctx))
	return <-began
}

// installed is how many multicast groups have a flow.
func (r *rig) installed() int {
	dump, err := r.lab.Ofctl(r.t.Context(), "dump-flows", r.lab.Mgmt(), "table=101")
	require.NoError(r.t, err)
	return strings.Count(dump, "nw_dst=239.")
}

// backWithin is how long after a switch takes connections everything may take to be back. Alone on the
// machine it is under half a second.
const backWithin = 2 * time.Second

func TestARestartedSwitchHasAHundredGroupsBackInTwoSeconds(t *testing.T) {
	r := newLab(t, versions...)
	p := r.launch(nil)
	const groups = 100
	for n := range groups {
		r.join("v3", netip.AddrFrom4([4]byte{239, 7, 7, byte(n)}))
	}
	eventually(t, func() bool { return r.installed() == groups }, 20*time.Second, 50*time.Millisecond)
	last := netip.AddrFrom4([4]byte{239, 7, 7, groups - 1})
	tap := r.tap("v3", last)
	ctx, stop := context.WithCancel(t.Context())
	sent := make(chan error, 1)
	go func() { sent <- r.lab.Host("sender").Send(ctx, ovslab.Stream{To: last, Packets: 100_000}) }()
	_, err := tap.Await(within(t, 10*time.Second), 200)
	require.NoError(t, err)
	require.NoError(t, r.lab.KillSwitch())
	p.await("switch is away")
	before := len(tap.Arrivals())
	began := r.accepting()
	eventually(t, func() bool { return r.installed() == groups }, 10*time.Second, 5*time.Millisecond)
	installed := time.Since(began)
	arrivals, err := tap.Await(within(t, 10*time.Second), before+500)
	require.NoError(t, err)
	stop()
	<-sent
	flowing := arrivals[before].At.Sub(began)
	t.Logf("after the switch took connections: first packet %v, all flows seen %v", flowing, installed)
	require.Less(t, flowing, backWithin)
	require.Less(t, installed, backWithin)
	requireNoneTwice(t, tap)
	require.Equal(t, 1, strings.Count(p.said.String(), "switch is away"))
	require.Equal(t, 2, strings.Count(p.said.String(), "fail mode secure"), "with each connection")
}

// What a host that has not joined receives while the switch is up and not programmed yet is a matter of
// the fail mode; from then on it is nothing, and in any case members get what they want again.
func TestWhatNonMembersReceiveIsAMatterOfTheFailMode(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"secure", "standalone"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			r := newLabInMode(t, mode, versions...)
			p := r.launch(nil)
			p.await("fail mode " + mode)
			r.join("v3", group)
			r.awaitBuckets(group, 5*time.Second, "3")
			member, idle := r.tap("v3", group), r.tap("idle", group)
			ctx, stop := context.WithCancel(t.Context())
			sent := make(chan error, 1)
			go func() { sent <- r.lab.Host("sender").Send(ctx, ovslab.Stream{To: group, Packets: 100_000}) }()
			_, err := member.Await(within(t, 10*time.Second), 200)
			require.NoError(t, err)
			require.NoError(t, r.lab.KillSwitch())
			r.accepting()
			r.awaitBuckets(group, 10*time.Second, "3")
			flooded, served := len(idle.Arrivals()), len(member.Arrivals())
			_, err = member.Await(within(t, 10*time.Second), served+500)
			require.NoError(t, err)
			stop()
			<-sent
			t.Logf("fail mode %s: a host that has not joined got %d packets of 1,000 a second", mode, flooded)
			require.Len(t, idle.Arrivals(), flooded, "nothing any more once the agent is back")
			if mode == "secure" {
				require.Zero(t, flooded)
			}
			eventually(t, func() bool { return strings.Count(p.said.String(), "fail mode "+mode) == 2 }, 5*time.Second, 20*time.Millisecond)
		})
	}
}

func TestTheBridgesSettingsAreLookedAtAgainWhenTheSwitchReturns(t *testing.T) {
	t.Parallel()
	r := newLab(t, versions...)
	p := r.launch(nil, "-ovs-snooping")
	eventually(t, r.snooping, 5*time.Second, 20*time.Millisecond)
	require.NoError(t, r.lab.KillSwitch())
	p.await("switch is away")
	_, err := r.lab.Vsctl(t.Context(), "--no-wait", "set", "bridge", r.lab.Bridge(), "mcast_snooping_enable=false")
	require.NoError(t, err)
	require.NoError(t, r.lab.RestartSwitch(within(t, 20*time.Second)))
	eventually(t, r.snooping, 10*time.Second, 20*time.Millisecond)
}

// snooping says whether the bridge's own is on.
func (r *rig) snooping() bool {
	return vsctl(r.t, r.lab.Lab, "get", "bridge", r.lab.Bridge(), "mcast_snooping_enable") == "true\n"
}

// Attempts that fail one after the other do not fill the log, whether there is no switch or one that
// cannot be served.
func TestAttemptsThatFailAreSaidOnceInAWhile(t *testing.T) {
	t.Parallel()
	r := newRouterLab(t, versions...)
	p := r.launch(nil, "-gateway", "gw0")
	require.NoError(t, r.lab.KillSwitch())
	p.await("switch is away")
	_, err := r.lab.Vsctl(t.Context(), "--no-wait", "del-port", r.lab.Bridge(), "gw0")
	require.NoError(t, err)
	time.Sleep(time.Second)
	require.NoError(t, r.lab.RestartSwitch(within(t, 20*time.Second)))
	time.Sleep(2 * time.Second)
	said := p.said.String()[strings.Index(p.said.String(), "switch is away"):]
	require.Less(t, strings.Count(said, "\n"), 12, said)
	require.Equal(t, 1, strings.Count(said, "switch is away"), said)
}
