//go:build linux

package main

import (
	"bytes"
	"context"
	"net/netip"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
)

// routing is how an agent is told to route.
var routing = []string{"-gateway", "gw0", "-uplink", "up0", "-query-address", "192.0.2.254"}

// newRouterRig is a lab with a machine outside beyond an uplink, and an agent that runs on the
// switch's machine and routes between the two.
func newRouterRig(t *testing.T, hosts ...ovslab.HostConfig) *rig {
	t.Helper()
	r := newRouterLab(t, hosts...)
	r.spawnAgent(routing...)
	return r
}

// newRouterLab is newRouterRig without the agent.
func newRouterLab(t *testing.T, hosts ...ovslab.HostConfig) *rig {
	t.Helper()
	outside := ovslab.HostConfig{
		Name: "outside", Port: "up0",
		Addr: netip.MustParsePrefix("198.51.100.7/24"), Uplink: netip.MustParseAddr("198.51.100.1"),
		Gateway: netip.MustParseAddr("198.51.100.1"),
	}
	r := newLab(t, append(hosts, outside)...)
	_, err := r.lab.Vsctl(t.Context(), "add-port", r.lab.Bridge(), "gw0", "--",
		"set", "interface", "gw0", "type=internal", "ofport_request="+gatewayPort)
	require.NoError(t, err)
	for _, args := range [][]string{
		{"addr", "add", "192.0.2.254/24", "dev", "gw0"}, {"link", "set", "dev", "gw0", "up"},
	} {
		_, err := r.lab.Node().Run(t.Context(), "ip", args...)
		require.NoError(t, err)
	}
	return r
}

// spawnAgent runs the agent as a process on the switch's machine, and ends it with SIGTERM.
func (r *rig) spawnAgent(args ...string) {
	self, err := os.Executable()
	require.NoError(r.t, err)
	cmd := r.lab.Node().Command(context.Background(), self, append([]string{
		"-openflow", "unix:" + r.lab.Mgmt(), "-ovsdb", "unix:" + r.lab.Dir() + "/db.sock",
		"-query-interval", "2s", "-query-response", "1s",
	}, args...)...)
	var said bytes.Buffer
	cmd.Env = append(os.Environ(), actAsAgent+"=1")
	cmd.Stderr = &said
	require.NoError(r.t, cmd.Start())
	r.t.Cleanup(func() {
		require.NoError(r.t, cmd.Process.Signal(syscall.SIGTERM))
		require.NoError(r.t, cmd.Wait(), "SIGTERM ends it cleanly:\n%s", &said)
	})
	eventually(r.t, func() bool {
		flows, err := r.lab.Ofctl(r.t.Context(), "dump-flows", r.lab.Mgmt(), "table=0,ip,nw_dst=224.0.0.0/4,vlan_tci=0x0000/0x1fff")
		return err == nil && strings.Contains(flows, "resubmit(,100)")
	}, 20*time.Second, 20*time.Millisecond)
	time.Sleep(settled)
}

// kernelRoutes returns the lines of ip mroute show for a group.
func (r *rig) kernelRoutes(g netip.Addr) []string {
	out, err := r.lab.Node().Run(r.t.Context(), "ip", "mroute", "show")
	require.NoError(r.t, err)
	var lines []string
	for line := range strings.Lines(out) {
		if strings.Contains(line, ","+g.String()+")") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

// outerJoin says whether the switch's machine is a member of the group on its uplink.
func (r *rig) outerJoin(g netip.Addr) bool {
	out, err := r.lab.Node().Run(r.t.Context(), "ip", "maddr", "show", "dev", "up0")
	require.NoError(r.t, err)
	return strings.Contains(out, "inet  "+g.String()+"\n")
}

// openRoute has a stream's first packets cross the kernel, as many as it keeps until it is told where they go. At
// 1,000 packets a second it would drop what comes behind them, unless the agent runs within a few milliseconds.
func (r *rig) openRoute(from, to string, g netip.Addr) {
	r.t.Helper()
	tap := r.tap(to, g)
	defer tap.Close()
	const kept = 3 // ipmr_cache_unresolved in net/ipv4/ipmr.c has four at most
	r.send(from, ovslab.Stream{To: g, Packets: kept})
	requireOnce(r.t, tap, kept)
}

func TestStreamsCrossTheKernelInBothDirections(t *testing.T) {
	t.Parallel()
	r := newRouterRig(t, versions...)
	m := r.join("v3", group)
	r.awaitBuckets(group, 5*time.Second, "3", gatewayPort)
	eventually(t, func() bool { return r.outerJoin(group) }, 2*time.Second, 20*time.Millisecond)

	// From outside in.
	r.openRoute("outside", "v3", group)
	inside, idle := r.tap("v3", group), r.tap("idle", group)
	r.send("outside", ovslab.Stream{To: group, Packets: 500, ID: 1})
	requireOnce(t, inside, 500)
	require.Empty(t, idle.Arrivals())

	// From inside out, and to the member inside.
	r.openRoute("sender", "outside", group)
	outside := r.tap("outside", group)
	inside = r.tap("v3", group)
	r.send("sender", ovslab.Stream{To: group, Packets: 500, ID: 2})
	requireOnce(t, outside, 500)
	requireOnce(t, inside, 500)
	require.Len(t, inside.Arrivals(), 500, "nothing comes back by the other way")

	// The last member leaves: flow, group, outer join and the route inwards go, the one outwards stays.
	require.NoError(t, m.Leave())
	r.awaitGone(group, 4*time.Second)
	eventually(t, func() bool { return !r.outerJoin(group) }, 2*time.Second, 20*time.Millisecond)
	eventually(t, func() bool {
		for _, route := range r.kernelRoutes(group) {
			if strings.Contains(route, "Iif: up0") && strings.Contains(route, "gw0") {
				return false
			}
		}
		return true
	}, 2*time.Second, 20*time.Millisecond)
}

func TestAStreamThatNobodyWantedIsRoutedWhenSomebodyJoins(t *testing.T) {
	t.Parallel()
	r := newRouterRig(t, versions...)
	sent := make(chan error, 1)
	go func() {
		sent <- r.lab.Host("outside").Send(t.Context(), ovslab.Stream{To: group, Packets: 3000})
	}()
	eventually(t, func() bool { return len(r.kernelRoutes(group)) == 1 }, 5*time.Second, 20*time.Millisecond,
		"the kernel knows that nobody wants it")
	tap := r.tap("v2", group)
	r.join("v2", group)
	_, err := tap.Await(within(t, 5*time.Second), 500)
	require.NoError(t, err)
	require.NoError(t, <-sent)
	requireNoneTwice(t, tap)
}

func TestLocalSendersReachOutsideWithoutLocalMembers(t *testing.T) {
	t.Parallel()
	r := newRouterRig(t, versions...)
	r.openRoute("sender", "outside", other)
	outside := r.tap("outside", other)
	r.send("sender", ovslab.Stream{To: other, Packets: 200})
	requireOnce(t, outside, 200)
}

func TestAnUplinkThatReturnsIsJoinedAgain(t *testing.T) {
	t.Parallel()
	r := newRouterRig(t, versions...)
	r.join("v3", group)
	r.awaitBuckets(group, 5*time.Second, "3", gatewayPort)
	eventually(t, func() bool { return r.outerJoin(group) }, 2*time.Second, 20*time.Millisecond)
	for _, args := range [][]string{
		{"link", "del", "dev", "up0"},
		{"link", "add", "up0", "type", "veth", "peer", "name", "up0-far"},
		{"link", "set", "dev", "up0", "up"},
	} {
		_, err := r.lab.Node().Run(t.Context(), "ip", args...)
		require.NoError(t, err)
	}
	eventually(t, func() bool { return r.outerJoin(group) }, 10*time.Second, 50*time.Millisecond)
}
