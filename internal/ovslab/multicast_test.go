//go:build linux

package ovslab

import (
	"fmt"
	"net/netip"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var (
	group  = netip.MustParseAddr("233.252.0.1")
	source = netip.MustParseAddr("198.51.100.7")
)

// requireNet ends the test as NewNet would.
func requireNet(t *testing.T) {
	t.Helper()
	requireInstalled(t)
	if _, err := findNetTools(); err != nil && os.Getenv("CI") != "true" {
		t.Skip(err)
	} else {
		require.NoError(t, err)
	}
}

func join(t *testing.T, h *Host, sources ...netip.Addr) *Membership {
	t.Helper()
	m, err := h.Join(group, sources...)
	require.NoError(t, err)
	return m
}

func receive(t *testing.T, h *Host) *Receiver {
	t.Helper()
	r, err := h.Receive(group)
	require.NoError(t, err)
	return r
}

func tap(t *testing.T, h *Host) *Receiver {
	t.Helper()
	r, err := h.Tap(group)
	require.NoError(t, err)
	return r
}

// requireOnce waits for all of n packets and for no more of any than one.
func requireOnce(t *testing.T, r *Receiver, n int) {
	t.Helper()
	_, err := r.Await(within(t, 10*time.Second), n)
	require.NoError(t, err)
	times := r.PerSequence()
	require.Len(t, times, n)
	for seq, got := range times {
		require.Equal(t, 1, got, "packet %d", seq)
	}
	require.Zero(t, r.Lost())
}

func TestAFloodedStreamArrivesExactlyOnce(t *testing.T) {
	lab := NewNet(t, NetConfig{Hosts: []HostConfig{
		{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "d", Port: "shared"}, {Name: "e", Port: "shared"},
	}})
	normal(t, lab)
	for _, name := range []string{"a", "b", "e"} {
		join(t, lab.Host(name))
	}
	own, ownWire := receive(t, lab.Host("a")), tap(t, lab.Host("a"))
	member, other := receive(t, lab.Host("b")), receive(t, lab.Host("c"))
	shared, wire := receive(t, lab.Host("e")), tap(t, lab.Host("d"))

	require.NoError(t, lab.Host("a").Send(t.Context(), Stream{To: group, Packets: 500, ID: 9}))

	for _, r := range []*Receiver{member, shared, wire} {
		requireOnce(t, r, 500)
	}
	require.Empty(t, own.Arrivals(), "a host does not hear itself")
	require.Empty(t, ownWire.Arrivals(), "nor does its stream come back")
	require.Empty(t, other.Arrivals(), "a program gets nothing that its host has not joined")
	last := member.Arrivals()[499]
	require.Equal(t, lab.Host("a").Addr(), last.From)
	require.Equal(t, uint32(9), last.ID)
	require.Less(t, last.At.Sub(last.Sent).Abs(), 5*time.Second)
	require.NoError(t, member.Close())
	require.Len(t, member.Arrivals(), 500, "also after Close")
}

// With a group of the members' ports nobody else gets a packet on the wire.
func TestWithAGroupOnlyMembersReceive(t *testing.T) {
	lab := NewNet(t, NetConfig{Hosts: []HostConfig{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "d"}}})
	b, c, d := lab.Host("b"), lab.Host("c"), lab.Host("d")
	require.Equal(t, uint32(2), b.PortNumber())
	_, err := lab.Ofctl(t.Context(), "add-group", lab.Bridge(),
		fmt.Sprintf("group_id=1,type=all,bucket=output:%d,bucket=output:%d", b.PortNumber(), d.PortNumber()))
	require.NoError(t, err)
	_, err = lab.Ofctl(t.Context(), "add-flow", lab.Bridge(), "ip,nw_dst=233.252.0.1,actions=group:1")
	require.NoError(t, err)
	join(t, b)
	member, other, wire := receive(t, b), tap(t, c), tap(t, d)

	require.NoError(t, lab.Host("a").Send(t.Context(), Stream{To: group, Packets: 500}))

	requireOnce(t, member, 500)
	requireOnce(t, wire, 500)
	require.Empty(t, other.Arrivals())
}

// A switch that gets no processor for a while loses nothing, neither on its
// first ports, nor on later ones, nor after a restart.
func TestPacketsWaitForABusySwitch(t *testing.T) {
	lab := NewNet(t, NetConfig{FailMode: "standalone", Hosts: []HostConfig{{Name: "a"}, {Name: "b"}}})
	requireWaits := func(from string) {
		t.Helper()
		r := tap(t, lab.Host("b"))
		defer r.Close()
		pid := daemonPIDs(t, lab.Dir())[1]
		require.NoError(t, syscall.Kill(pid, syscall.SIGSTOP))
		require.NoError(t, lab.Host(from).Send(t.Context(), Stream{To: group, Packets: 2000, Rate: 20_000}))
		require.Empty(t, r.Arrivals())
		require.NoError(t, syscall.Kill(pid, syscall.SIGCONT))
		requireOnce(t, r, 2000)
	}
	requireWaits("a")
	require.NoError(t, lab.AddHosts(t.Context(), HostConfig{Name: "c"}))
	requireWaits("c")
	require.NoError(t, lab.DelPort(t.Context(), "a"))
	require.NoError(t, lab.AddPort(t.Context(), "a"))
	requireWaits("a")
	require.NoError(t, lab.RestartSwitch(t.Context()))
	requireWaits("c")
}

func TestAStreamEndsWithItsContext(t *testing.T) {
	lab := NewNet(t, NetConfig{Hosts: []HostConfig{{Name: "a"}}})
	ctx := within(t, 20*time.Millisecond)
	require.ErrorIs(t, lab.Host("a").Send(ctx, Stream{To: group, Packets: 1000, Rate: 10}), ctx.Err())
	require.ErrorIs(t, lab.Host("a").Send(t.Context(), Stream{To: group, Packets: maxStreamPackets + 1}), ErrConfig)
	require.ErrorIs(t, lab.Host("a").Send(t.Context(), Stream{To: group}), ErrConfig)
}

func TestAReceiverEndsWithItsContextAndWithTheLab(t *testing.T) {
	lab := NewNet(t, NetConfig{Hosts: []HostConfig{{Name: "a"}}})
	r := receive(t, lab.Host("a"))
	ctx := within(t, 20*time.Millisecond)
	_, err := r.Await(ctx, 1)
	require.ErrorIs(t, err, ctx.Err())
	require.NoError(t, lab.Close())
	_, err = r.Await(t.Context(), 1)
	require.ErrorContains(t, err, "recording ended")
}
