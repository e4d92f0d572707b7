//go:build linux

package main

import (
	"context"
	"net/netip"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/internal/running"
	"github.com/ofmcast/ofmcast/internal/ovslab"
)

// lab is a router, the switch's machine, with the interfaces out0, in1 and in2, and hosts beyond them.
type lab struct {
	*ovslab.NetLab
	t *testing.T
}

// newLab has two hosts outside, two inside on one network, and one on another.
func newLab(t *testing.T) *lab {
	t.Helper()
	host := func(name, port, net string, n, igmp int) ovslab.HostConfig {
		router := netip.MustParseAddr(net + "1")
		addr := netip.PrefixFrom(router, 24)
		for range n - 1 {
			addr = netip.PrefixFrom(addr.Addr().Next(), 24)
		}
		return ovslab.HostConfig{Name: name, Port: port, Addr: addr, Uplink: router, Gateway: router, IGMPVersion: igmp}
	}
	return &lab{t: t, NetLab: ovslab.NewNet(t, ovslab.NetConfig{Hosts: []ovslab.HostConfig{
		host("far", "out0", "198.51.100.", 7, 0), host("far2", "out0", "198.51.100.", 8, 0),
		host("v2", "in1", "10.0.1.", 2, 2), host("v3", "in1", "10.0.1.", 3, 3), host("other", "in2", "10.0.2.", 2, 3),
	}})}
}

// start starts the program on the router. Hosts that leave are asked for 2 s.
func (l *lab) start(args ...string) *running.Program {
	l.t.Helper()
	return running.Start(l.t, l.Node(), asProgram, append([]string{
		"-inside", "in1,in2", "-outside", "out0", "-json", "-interval", "1s", "-response", "400ms",
	}, args...)...)
}

// route starts it and waits until it has begun.
func (l *lab) route() *running.Program {
	l.t.Helper()
	p := l.start()
	p.AwaitAll(querierOn("in1"), querierOn("in2"))
	return p
}

func querierOn(name string) map[string]any {
	return map[string]any{"event": "querier", "interface": name, "querier": true}
}

func change(event, name string, g netip.Addr) map[string]any {
	return map[string]any{"event": event, "interface": name, "group": g.String()}
}

func (l *lab) ip(lines ...string) {
	l.t.Helper()
	for _, args := range lines {
		_, err := l.Node().Run(l.t.Context(), "ip", strings.Fields(args)...)
		require.NoError(l.t, err)
	}
}

// join returns when the program has heard it.
func (l *lab) join(p *running.Program, name string, g netip.Addr, sources ...netip.Addr) *ovslab.Membership {
	l.t.Helper()
	m, err := l.Host(name).Join(g, sources...)
	require.NoError(l.t, err)
	p.Await(change("joined", l.Host(name).Port(), g))
	return m
}

func (l *lab) tap(name string, g netip.Addr) *ovslab.Receiver {
	l.t.Helper()
	r, err := l.Host(name).Tap(g)
	require.NoError(l.t, err)
	return r
}

// stream sends packets of a stream from a host. The first one goes ahead until it has a route: the kernel keeps three
// packets meanwhile, which on a busy machine are not enough.
func (l *lab) stream(name string, g netip.Addr) {
	l.t.Helper()
	h := l.Host(name)
	require.NoError(l.t, h.Send(l.t.Context(), ovslab.Stream{To: g, Packets: 1, ID: 1}))
	l.eventually(func() bool {
		out, err := l.Node().Run(l.t.Context(), "ip", "mroute", "show", "table", "all")
		require.NoError(l.t, err)
		return strings.Contains(out, "("+h.Addr().String()+","+g.String()+")") && !strings.Contains(out, "unresolved")
	}, "it has a route")
	require.NoError(l.t, h.Send(l.t.Context(), ovslab.Stream{To: g, Packets: packets - 1, ID: 2}))
}

// packets is how many a stream has.
const packets = 200

// once waits until each packet of a stream has come, once.
func (l *lab) once(r *ovslab.Receiver, from string) {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.t.Context(), running.Patience)
	defer cancel()
	all, err := r.Await(ctx, packets)
	require.NoError(l.t, err)
	require.Len(l.t, all, packets)
	type number struct{ id, seq uint32 }
	seen := map[number]bool{}
	for _, a := range all {
		require.Equal(l.t, l.Host(from).Addr(), a.From)
		require.False(l.t, seen[number{a.ID, a.Seq}], "twice")
		seen[number{a.ID, a.Seq}] = true
	}
	require.NoError(l.t, r.Close())
}

// outer says whether the router is a member of a group on its outside interface, as the kernel has it.
func (l *lab) outer(g netip.Addr) bool {
	out, err := l.Node().Run(l.t.Context(), "ip", "maddr", "show", "dev", "out0")
	require.NoError(l.t, err)
	return strings.Contains(out, "inet  "+g.String()+"\n")
}

// eventually calls f on the test's own goroutine until it is true.
func (l *lab) eventually(f func() bool, why string) {
	l.t.Helper()
	for end := time.Now().Add(running.Patience); !f(); time.Sleep(10 * time.Millisecond) {
		require.True(l.t, time.Now().Before(end), why)
	}
}

func TestStreamsCrossAndJoinsFollowTheMembers(t *testing.T) {
	l := newLab(t)
	p := l.route()
	v2 := l.join(p, "v2", group)
	l.eventually(func() bool { return l.outer(group) }, "it is joined outside")

	inside, idle := l.tap("v2", group), l.tap("other", group)
	l.stream("far", group)
	l.once(inside, "far")
	require.Empty(t, idle.Arrivals())
	require.NoError(t, idle.Close())

	v3 := l.join(p, "other", group)
	inside, second := l.tap("v2", group), l.tap("other", group)
	l.stream("far", group)
	l.once(inside, "far")
	l.once(second, "far")

	require.NoError(t, v2.Leave())
	p.Await(change("left", "in1", group))
	require.True(t, l.outer(group), "the other one is still there")

	// From inside out and to the other network, and back to nobody.
	outside, second, sender := l.tap("far", group), l.tap("other", group), l.tap("v3", group)
	l.stream("v2", group)
	l.once(outside, "v2")
	l.once(second, "v2")
	require.Len(t, sender.Arrivals(), packets, "on the sender's own network, once")

	require.NoError(t, v3.Leave())
	p.Await(change("left", "in2", group))
	l.eventually(func() bool { return !l.outer(group) }, "the last one has left")
	outside = l.tap("far", group)
	l.stream("v2", group)
	l.once(outside, "v2")

	last := p.Stop(syscall.SIGTERM)
	require.Equal(t, "table", last["event"])
	require.Empty(t, last["groups"])
	require.Len(t, last["routes"], 2, "one has nowhere to go")
	require.Empty(t, p.Stderr.String())
	out, err := l.Node().Run(t.Context(), "ip", "mroute", "show")
	require.NoError(t, err)
	require.Empty(t, out)
}

// Sources that nobody wants are not even sent by those outside, if they listen to the join.
func TestASingleSourceIsJoinedAsSuch(t *testing.T) {
	l := newLab(t)
	p := l.route()
	far := l.Host("far").Addr()
	wire, err := l.Host("far2").Capture(func(f ovslab.Frame) bool { return !f.Sent && isReport(f.Data) })
	require.NoError(t, err)
	_, err = l.Host("v2").Join(single) // which version 2 can only for any source
	require.NoError(t, err)
	l.join(p, "v3", single, far)
	l.eventually(func() bool { return l.outer(single) }, "it is joined outside")
	var filters []byte
	require.NoError(t, l.Node().Do(func() (err error) {
		filters, err = os.ReadFile("/proc/thread-self/net/mcfilter")
		return err
	}))
	require.Regexp(t, `out0 0xe8010101 0xc6336407 +1 +0\n`, string(filters), "INCLUDE once, EXCLUDE never")
	require.NotRegexp(t, `out0 0xe8010101.*\n.*out0 0xe8010101`, string(filters), "no other source")

	inside := l.tap("v3", single)
	l.stream("far2", single)
	l.stream("far", single)
	l.once(inside, "far")

	ctx, cancel := context.WithTimeout(t.Context(), running.Patience)
	defer cancel()
	_, err = wire.Await(ctx, func(all []ovslab.Frame) bool { return len(all) > 0 })
	require.NoError(t, err)
	for _, f := range wire.Frames() {
		requireSingle(t, f.Data, far)
	}
	require.Equal(t, "table", p.Stop(syscall.SIGINT)["event"])
}

// A stream to a group that is joined before, or while it flows, after a restart, and on interfaces that return.
func TestItComesBackAndInterfacesDo(t *testing.T) {
	l := newLab(t)
	l.route().Stop(syscall.SIGINT)
	_, err := l.Host("v3").Join(group)
	require.NoError(t, err)
	p := l.start("-table", "7", "-inside", "late0", "-check")
	p.AwaitAll(change("joined", "in1", group), querierOn("in2"),
		map[string]any{"event": "interface", "interface": "late0", "up": false}, map[string]any{"event": "finding", "problem": "forwarding"})
	inside := l.tap("v3", group)
	l.stream("far", group)
	l.once(inside, "far")

	l.ip("link add late0 type veth peer name late0-far", "addr add 10.0.3.1/24 dev late0", "link set late0 up", "link set late0-far up")
	p.Await(querierOn("late0"))

	l.ip("link set out0 down")
	p.Await(map[string]any{"event": "interface", "interface": "out0", "up": false})
	l.ip("link del out0", "link add out0 type veth peer name out0-far", "link set out0 up", "link set out0-far up")
	p.Await(map[string]any{"event": "interface", "interface": "out0", "up": true})
	l.eventually(func() bool { return l.outer(group) }, "it is joined again")

	l.ip("link del in1")
	p.AwaitAll(map[string]any{"event": "interface", "interface": "in1", "up": false}, change("expired", "in1", group))
	l.eventually(func() bool { return !l.outer(group) }, "nobody is there any more")
	p.Stop(syscall.SIGTERM)
	require.Empty(t, p.Stderr.String())
	rules, err := l.Node().Run(t.Context(), "ip", "mrule", "show")
	require.NoError(t, err)
	require.NotContains(t, rules, "lookup 7")
}
