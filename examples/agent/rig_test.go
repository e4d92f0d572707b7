//go:build linux

package main

import (
	"context"
	"io"
	"log/slog"
	"net/netip"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
)

var (
	group = netip.MustParseAddr("239.1.1.1")
	other = netip.MustParseAddr("239.1.1.2")
)

// settled is how long a confirmed change may take until every packet sees it: a barrier says that the
// switch has taken the change, not that its packet cache has.
const settled = 50 * time.Millisecond

// rig is an agent on a real switch with real hosts. A rig shares nothing with another one, so tests with a rig begin
// with t.Parallel(), as their subtests do: they wait, for the most part. Those that judge how fast something is, or
// what the process as a whole uses, do not, and run before all others, with the machine to themselves.
// What is shared is the process: no t.Setenv, and a signal is for every agent that is not a process of its own.
type rig struct {
	t     testing.TB
	lab   *ovslab.NetLab
	hosts []string // their names
}

// newRig starts a lab with hosts, and an agent with short intervals.
func newRig(t *testing.T, args []string, hosts ...ovslab.HostConfig) *rig {
	t.Helper()
	r := newLab(t, hosts...)
	r.startAgent(args)
	return r
}

// newGatewayRig is newRig with a port gw0 that the switch's machine has as an interface.
func newGatewayRig(t *testing.T, hosts ...ovslab.HostConfig) *rig {
	t.Helper()
	r := newLab(t, hosts...)
	_, err := r.lab.Vsctl(t.Context(), "add-port", r.lab.Bridge(), "gw0", "--",
		"set", "interface", "gw0", "type=internal", "ofport_request="+gatewayPort)
	require.NoError(t, err)
	_, err = r.lab.Node().Run(t.Context(), "ip", "link", "set", "dev", "gw0", "up")
	require.NoError(t, err)
	r.startAgent([]string{"-gateway", "gw0"})
	return r
}

// gatewayPort is the number of gw0.
const gatewayPort = "100"

func newLab(t testing.TB, hosts ...ovslab.HostConfig) *rig {
	t.Helper()
	lab := ovslab.NewNet(t, ovslab.NetConfig{Hosts: hosts})
	// Whatever is not the agent's is forwarded as on any bridge; the lab's starts without a flow.
	_, err := lab.Ofctl(t.Context(), "add-flow", lab.Mgmt(), "priority=0,actions=NORMAL")
	require.NoError(t, err)
	r := &rig{t: t, lab: lab}
	for _, h := range hosts {
		r.hosts = append(r.hosts, h.Name)
	}
	return r
}

// startAgent runs an agent until the test ends and waits until it has brought the switch up to date.
func (r *rig) startAgent(args []string) { runAgent(r.t, r.lab.Mgmt(), args) }

// runAgent is startAgent for any switch, by its OpenFlow socket.
func runAgent(t testing.TB, socket string, args []string) *agent {
	t.Helper()
	o, err := parseOptions(append([]string{
		"-openflow", "unix:" + socket, "-ovsdb", "",
		"-query-interval", "2s", "-query-response", "1s",
	}, args...), io.Discard)
	require.NoError(t, err)
	log := slog.New(slog.DiscardHandler)
	if os.Getenv("AGENT_LOG") != "" {
		log = slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	a, err := newAgent(o, log)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- a.run(ctx) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-ended)
	})
	require.NoError(t, a.conn.WaitConnected(within(t, 10*time.Second)))
	return a
}

func within(t testing.TB, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

// eventually polls on the test's own goroutine until the condition holds: one that runs elsewhere
// could still be at work when the test has ended.
func eventually(t testing.TB, cond func() bool, within, every time.Duration, why ...any) {
	t.Helper()
	for end := time.Now().Add(within); !cond(); time.Sleep(every) {
		require.True(t, time.Now().Before(end), why...)
	}
}

// never polls for as long and fails when the condition holds.
func never(t testing.TB, cond func() bool, within, every time.Duration, why ...any) {
	t.Helper()
	for end := time.Now().Add(within); time.Now().Before(end); time.Sleep(every) {
		require.False(t, cond(), why...)
	}
}

func (r *rig) join(host string, g netip.Addr, sources ...netip.Addr) *ovslab.Membership {
	r.t.Helper()
	m, err := r.lab.Host(host).Join(g, sources...)
	require.NoError(r.t, err)
	return m
}

// tap counts what reaches a host's interface, wanted or not.
func (r *rig) tap(host string, g netip.Addr) *ovslab.Receiver {
	r.t.Helper()
	tap, err := r.lab.Host(host).Tap(g)
	require.NoError(r.t, err)
	return tap
}

func (r *rig) send(host string, s ovslab.Stream) {
	r.t.Helper()
	require.NoError(r.t, r.lab.Host(host).Send(r.t.Context(), s))
}

// bucketsOf returns the ports that the group of a multicast address copies to, as ovs-ofctl says, or
// nil if there is no flow for it.
func (r *rig) bucketsOf(g netip.Addr) []string {
	id := r.groupOf(g)
	if id == "" {
		return nil
	}
	return r.groupPorts(id)
}

// groupOf is the number of the OpenFlow group that the flow of a multicast address leads to; empty if
// there is no flow for it.
func (r *rig) groupOf(g netip.Addr) string {
	flows, err := r.lab.Ofctl(r.t.Context(), "dump-flows", r.lab.Mgmt(), "table=101,ip,nw_dst="+g.String())
	require.NoError(r.t, err)
	if id := regexp.MustCompile(`actions=group:(\d+)`).FindStringSubmatch(flows); id != nil {
		return id[1]
	}
	return ""
}

func (r *rig) groupPorts(id string) []string {
	dump, err := r.lab.Ofctl(r.t.Context(), "dump-groups", r.lab.Mgmt())
	require.NoError(r.t, err)
	ports := []string{}
	for line := range strings.Lines(dump) {
		if strings.Contains(line, "group_id="+id+",") {
			for _, m := range regexp.MustCompile(`output:(\d+)`).FindAllStringSubmatch(line, -1) {
				ports = append(ports, m[1])
			}
		}
	}
	slices.Sort(ports)
	return ports
}

// awaitBuckets waits until the group of a multicast address has buckets for exactly these ports.
func (r *rig) awaitBuckets(g netip.Addr, within time.Duration, ports ...string) {
	r.t.Helper()
	slices.Sort(ports)
	var have []string
	for end := time.Now().Add(within); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if have = r.bucketsOf(g); slices.Equal(have, ports) {
			time.Sleep(settled)
			return
		}
	}
	require.Equal(r.t, ports, have)
}

// awaitGone waits until nothing is left of a multicast group on the switch.
func (r *rig) awaitGone(g netip.Addr, within time.Duration) {
	r.t.Helper()
	eventually(r.t, func() bool { return r.bucketsOf(g) == nil }, within, 20*time.Millisecond)
}

// requireOnce says that the host got each of n packets once.
func requireOnce(t testing.TB, tap *ovslab.Receiver, n int) {
	t.Helper()
	_, err := tap.Await(within(t, 10*time.Second), n)
	require.NoError(t, err)
	requireNoneTwice(t, tap)
	require.Len(t, tap.PerSequence(), n)
}

func requireNoneTwice(t testing.TB, tap *ovslab.Receiver) {
	t.Helper()
	for seq, times := range tap.PerSequence() {
		require.Equal(t, 1, times, "packet %d", seq)
	}
}
