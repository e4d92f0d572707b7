package routesbench

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// namespace is a thread in a network namespace of its own. Both end with the benchmark.
type namespace struct {
	do   chan func()
	path string
}

func newNamespace(b *testing.B) *namespace {
	b.Helper()
	n := &namespace{do: make(chan func())}
	made := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends
		n.path = fmt.Sprintf("/proc/%d/task/%d/ns/net", os.Getpid(), unix.Gettid())
		made <- unix.Unshare(unix.CLONE_NEWNET)
		for f := range n.do {
			f()
		}
	}()
	b.Cleanup(func() { close(n.do) })
	if err := <-made; err != nil {
		if os.Getenv("CI") == "true" {
			b.Fatal(err)
		}
		b.Skip("needs root for a network namespace: ", err)
	}
	return n
}

// newRouter is a namespace with the interfaces in0 and out0, whose other ends, from0 and to0, are in a second one.
func newRouter(b *testing.B) (router, around *namespace) {
	b.Helper()
	router, around = newNamespace(b), newNamespace(b)
	router.run(b, func() error {
		return ip("link set lo up", "link add in0 type veth peer name from0 netns "+around.path,
			"link add out0 type veth peer name to0 netns "+around.path,
			"addr add 10.0.1.1/24 dev in0", "addr add 10.0.2.1/24 dev out0", "link set in0 up", "link set out0 up")
	})
	around.run(b, func() error { return ip("link set from0 up", "link set to0 up") })
	return router, around
}

func ip(lines ...string) error {
	cmd := exec.Command("ip", "-batch", "-")
	cmd.Stdin = strings.NewReader(strings.Join(lines, "\n") + "\n")
	return cmd.Run()
}

// run calls f in the namespace.
func (n *namespace) run(b *testing.B, f func() error) {
	b.Helper()
	done := make(chan error)
	n.do <- func() { done <- f() }
	require.NoError(b, <-done)
}

// indexes are those of interfaces in the namespace of the calling thread.
func indexes(first, second string) (i, j int, err error) {
	a, err := net.InterfaceByName(first)
	if err != nil {
		return 0, 0, err
	}
	b, err := net.InterfaceByName(second)
	if err != nil {
		return 0, 0, err
	}
	return a.Index, b.Index, nil
}
