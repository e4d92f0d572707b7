package mroute

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// enterNamespace moves the test's goroutine into an empty network namespace. Its thread is never given back, so the
// namespace ends with the test.
func enterNamespace(t testing.TB) {
	t.Helper()
	runtime.LockOSThread()
	if err := syscall.Unshare(syscall.CLONE_NEWNET); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("no network namespace for the test: %v", err)
		}
		t.Skipf("needs root for a network namespace of its own: %v", err)
	}
	ip(t, "link set lo up")
}

// ip runs ip commands, one a line, in the namespace of the calling thread.
func ip(t testing.TB, lines ...string) {
	t.Helper()
	require.NoError(t, runIP(nil, lines...))
}

func runIP(extra *os.File, lines ...string) error {
	cmd := exec.Command("ip", "-batch", "-")
	cmd.Stdin = strings.NewReader(strings.Join(lines, "\n") + "\n")
	if extra != nil {
		cmd.ExtraFiles = []*os.File{extra}
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("ip: %w: %s", err, out)
	}
	return nil
}

// index is the index of an interface in the namespace of the calling thread.
func index(t testing.TB, name string) IfIndex {
	t.Helper()
	i, err := net.InterfaceByName(name)
	require.NoError(t, err)
	return IfIndex(i.Index)
}

// dummies makes interfaces d0, d1, ... that lead nowhere (veth pairs), without addresses, and returns their indexes.
func dummies(t testing.TB, n int) []IfIndex {
	t.Helper()
	var lines []string
	for i := range n {
		lines = append(lines, fmt.Sprintf("link add d%d type veth peer name nowhere%d", i, i),
			fmt.Sprintf("link set nowhere%d up", i), fmt.Sprintf("link set d%d up", i))
	}
	ip(t, lines...)
	out := make([]IfIndex, n)
	for i := range out {
		out[i] = index(t, fmt.Sprintf("d%d", i))
	}
	return out
}

// kernelTable reads a table of /proc/net in the namespace of the calling thread.
func kernelTable(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile("/proc/thread-self/net/" + name)
	require.NoError(t, err)
	return string(b)
}

// sysctl sets a value below net.ipv4 in the namespace of the calling thread.
func sysctl(t *testing.T, name, value string) {
	t.Helper()
	require.NoError(t, os.WriteFile("/proc/sys/net/ipv4/"+name, []byte(value), 0o644))
}

// host is a machine beyond a veth pair: its own end is "eth0" with the address 10.0.N.2, the router's end is "vN" with
// 10.0.N.1.
type host struct {
	ns *os.File
	do chan func()
}

// newHost connects host number n to the namespace of the calling thread. TTL and source address are the socket's.
func newHost(t testing.TB, n int) *host {
	t.Helper()
	h := &host{do: make(chan func())}
	opened := make(chan error)
	go h.serve(opened)
	require.NoError(t, <-opened)
	t.Cleanup(func() { close(h.do); _ = h.ns.Close() })

	require.NoError(t, runIP(h.ns,
		fmt.Sprintf("link add v%d type veth peer name eth0 netns /proc/self/fd/3", n),
		fmt.Sprintf("addr add 10.0.%d.1/24 dev v%d", n, n),
		fmt.Sprintf("link set v%d up", n),
	))
	require.NoError(t, h.run(func() error {
		return runIP(nil, "link set lo up", fmt.Sprintf("addr add 10.0.%d.2/24 dev eth0", n), "link set eth0 up")
	}))
	// The end that was up first takes packets only after up to a second, unless it comes up again.
	ip(t, fmt.Sprintf("link set v%d down", n), fmt.Sprintf("link set v%d up", n))
	require.NoError(t, h.run(func() error {
		return runIP(nil,
			"route add 224.0.0.0/4 dev eth0",
			fmt.Sprintf("route add default via 10.0.%d.1", n),
		)
	}))
	return h
}

func (h *host) serve(opened chan<- error) {
	runtime.LockOSThread()
	err := syscall.Unshare(syscall.CLONE_NEWNET)
	if err == nil {
		h.ns, err = os.Open("/proc/thread-self/ns/net")
	}
	opened <- err
	for f := range h.do {
		f()
	}
}

// run calls f in the host's namespace.
func (h *host) run(f func() error) error {
	done := make(chan error)
	h.do <- func() { done <- f() }
	return <-done
}

// udp opens a UDP socket on the host, and closes it with the test. With a group it receives that group's packets.
func (h *host) udp(t testing.TB, local string) *net.UDPConn {
	t.Helper()
	var c *net.UDPConn
	require.NoError(t, h.run(func() error {
		addr, err := net.ResolveUDPAddr("udp4", local)
		if err != nil {
			return err
		}
		if !addr.IP.IsMulticast() {
			c, err = net.ListenUDP("udp4", addr)
			return err
		}
		eth0, err := net.InterfaceByName("eth0")
		if err != nil {
			return err
		}
		c, err = net.ListenMulticastUDP("udp4", eth0, addr)
		if err != nil {
			return err
		}
		raw, err := c.SyscallConn()
		if err != nil {
			return err
		}
		// Only the group that was asked for, not all that other sockets of the host have joined.
		const ipMulticastAll = 49
		return raw.Control(func(fd uintptr) { _ = setInt(int(fd), ipMulticastAll, 0) })
	}))
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// sender is a socket with the address it sends from.
type sender struct {
	conn *net.UDPConn
	addr string
}

// sender is a socket on the host whose packets can be routed.
func (h *host) sender(t testing.TB) *net.UDPConn { return h.senderAt(t, "0.0.0.0") }

// senderAt sends from one of the host's addresses.
func (h *host) senderAt(t testing.TB, addr string) *net.UDPConn {
	t.Helper()
	c := h.udp(t, addr+":0")
	raw, err := c.SyscallConn()
	require.NoError(t, err)
	require.NoError(t, raw.Control(func(fd uintptr) {
		err = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_IP, syscall.IP_MULTICAST_TTL, 16)
	}))
	require.NoError(t, err)
	return c
}

// send sends one packet to a group.
func send(t testing.TB, c *net.UDPConn, group, text string) {
	t.Helper()
	_, err := c.WriteToUDP([]byte(text), &net.UDPAddr{IP: net.ParseIP(group), Port: 5000})
	require.NoError(t, err)
}

// receive waits for one packet.
func receive(t *testing.T, c *net.UDPConn) string {
	t.Helper()
	b := make([]byte, 1500)
	require.NoError(t, c.SetReadDeadline(time.Now().Add(5*time.Second)))
	n, _, err := c.ReadFromUDP(b)
	require.NoError(t, err)
	return string(bytes.Clone(b[:n]))
}
