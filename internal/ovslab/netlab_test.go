//go:build linux

package ovslab

import (
	"context"
	"errors"
	"io"
	"net"
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

// requireTCP sends a line from one host to an address of another.
func requireTCP(t *testing.T, from, to *Host, addr netip.Addr) {
	t.Helper()
	var listener net.Listener
	require.NoError(t, to.Do(func() (err error) {
		listener, err = net.Listen("tcp", netip.AddrPortFrom(addr, 7).String())
		return err
	}))
	defer listener.Close()
	done := make(chan string, 1)
	go func() {
		defer close(done)
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		line, _ := io.ReadAll(conn)
		done <- string(line)
	}()
	require.NoError(t, from.Do(func() error {
		conn, err := net.DialTimeout("tcp", netip.AddrPortFrom(addr, 7).String(), 5*time.Second)
		if err != nil {
			return err
		}
		_, err = io.WriteString(conn, "hello")
		return errors.Join(err, conn.Close())
	}))
	require.Equal(t, "hello", <-done)
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
	requireTCP(t, a, b, b.Addr6()) // that is neighbour discovery
	requireTCP(t, b, c, c.Addr6())
	requireTCP(t, a, d, d.Addr())
}
