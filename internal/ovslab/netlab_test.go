//go:build linux

package ovslab

import (
	"context"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// normal makes the bridge of a lab a plain learning switch.
func normal(t *testing.T, lab *NetLab) {
	t.Helper()
	_, err := lab.Ofctl(t.Context(), "add-flow", lab.Bridge(), "actions=NORMAL")
	require.NoError(t, err)
}

// within is a context for what takes milliseconds on an idle machine.
func within(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

// requireReach is for a way that has to work at once.
func requireReach(t *testing.T, from, to *Host, addr netip.Addr) {
	t.Helper()
	require.NoError(t, from.Reach(within(t, 10*time.Second), to, addr))
}

// requireStream sends 10 packets from one host to another and waits for them.
func requireStream(t *testing.T, from, to *Host) {
	t.Helper()
	r, err := to.Receive(to.Addr())
	require.NoError(t, err)
	defer r.Close()
	require.NoError(t, from.Send(t.Context(), Stream{To: to.Addr(), Packets: 10}))
	got, err := r.Await(within(t, 5*time.Second), 10)
	require.NoError(t, err)
	require.Equal(t, from.Addr(), got[0].From)
}

func TestHostsReachOneAnotherThroughTheBridge(t *testing.T) {
	lab := NewNet(t, NetConfig{Hosts: []HostConfig{
		{Name: "a", IPv6: true}, {Name: "b", IPv6: true}, {Name: "c", Port: "shared", IPv6: true}, {Name: "d", Port: "shared"},
	}})
	a, b, c, d := lab.Host("a"), lab.Host("b"), lab.Host("c"), lab.Host("d")
	normal(t, lab)

	requireStream(t, a, b)
	requireStream(t, d, a)
	requireStream(t, c, d)
	requireReach(t, a, b, b.Addr6()) // that is neighbour discovery
	requireReach(t, b, c, c.Addr6())
	requireReach(t, a, d, d.Addr())

	require.NoError(t, lab.DelPort(t.Context(), "a"))
	ctx := within(t, 200*time.Millisecond)
	require.ErrorIs(t, b.Reach(ctx, a, a.Addr6()), context.DeadlineExceeded, "a is cut off")
}
