//go:build linux

package ovslab

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// witness is a namespace of the test's own with one end of a cable into each of
// some other namespaces: it loses an end when, and only when, the kernel has
// destroyed the namespace at the other.
type witness struct{ *Namespace }

func watch(t *testing.T, namespaces ...string) witness {
	t.Helper()
	tools, err := findNetTools()
	require.NoError(t, err)
	w, err := newNamespace(tools.nsenter)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.close()) })
	for i, path := range namespaces {
		_, err := w.Run(t.Context(), tools.ip, "link", "add", "name", "w"+strconv.Itoa(i), "type", "veth",
			"peer", "name", "watched", "netns", path)
		require.NoError(t, err)
	}
	require.Len(t, w.interfaces(t), len(namespaces)+1)
	return witness{w}
}

func (n *Namespace) interfaces(t *testing.T) (all []net.Interface) {
	t.Helper()
	require.NoError(t, n.Do(func() (err error) {
		all, err = net.Interfaces()
		return err
	}))
	return all
}

func (w witness) requireAllGone(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool { return len(w.interfaces(t)) == 1 }, 20*time.Second, 10*time.Millisecond)
}

// programsIn returns the pids of the programs in a namespace.
func programsIn(t *testing.T, namespace string) (pids []int) {
	t.Helper()
	want, err := os.Stat(namespace)
	require.NoError(t, err)
	processes, err := filepath.Glob("/proc/[0-9]*")
	require.NoError(t, err)
	for _, p := range processes {
		if in, err := os.Stat(p + "/ns/net"); err == nil && os.SameFile(in, want) {
			pid, err := strconv.Atoi(filepath.Base(p))
			require.NoError(t, err)
			pids = append(pids, pid)
		}
	}
	return pids
}

func TestCloseLeavesNothingBehind(t *testing.T) {
	before, err := net.Interfaces()
	require.NoError(t, err)
	lab := NewNet(t, NetConfig{Hosts: []HostConfig{{Name: "a"}, {Name: "b", Port: "shared"}, {Name: "c", Port: "shared"}}})
	a := lab.Host("a")
	cmd := a.Command(t.Context(), "/bin/sh", "-c", "setsid sleep 1000 & wait")
	require.NoError(t, cmd.Start())
	require.Eventually(t, func() bool { return len(programsIn(t, a.path)) == 2 }, 5*time.Second, time.Millisecond)
	pids := append(programsIn(t, a.path), programsIn(t, lab.Node().path)...)
	require.Len(t, pids, 3, "with the switch")
	w := watch(t, lab.Node().path, a.path, lab.Host("b").path, lab.segments["shared"].path)
	after, err := net.Interfaces()
	require.NoError(t, err)
	require.Equal(t, len(before), len(after), "a lab has no interface outside of its namespaces")

	require.NoError(t, lab.Close())
	require.NoError(t, lab.Close(), "a second Close does nothing")

	require.ErrorContains(t, cmd.Wait(), "killed")
	for _, pid := range pids {
		requireGone(t, pid)
	}
	w.requireAllGone(t)
	require.NoDirExists(t, lab.Dir())
	require.ErrorIs(t, a.Do(func() error { return nil }), os.ErrClosed)
	_, err = a.Run(t.Context(), "true")
	require.ErrorIs(t, err, os.ErrClosed)
	_, err = a.Join(group)
	require.ErrorIs(t, err, os.ErrClosed)
	require.ErrorIs(t, lab.AddHosts(t.Context(), HostConfig{Name: "late"}), os.ErrClosed)
}

// naming returns the pids of the programs with a string in their command lines.
func naming(t *testing.T, what string) (pids []int) {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	for _, p := range lines {
		if line, err := os.ReadFile(p); err == nil && bytes.Contains(line, []byte(what)) {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(p)))
			require.NoError(t, err)
			pids = append(pids, pid)
		}
	}
	return pids
}

// ovs-vsctl waits for the switch, for ever if need be, and has no guard.
func TestAToolDiesWithItsOwner(t *testing.T) {
	requireInstalled(t)
	owner := startOwner(t, waiting)
	waits := func() bool { return len(naming(t, "--db=unix:"+owner.dir)) == 1 }
	require.Eventually(t, waits, 10*time.Second, time.Millisecond)

	owner.die(t, "SIGKILL")

	require.Eventually(t, func() bool { return len(naming(t, owner.dir)) == 0 }, 10*time.Second, time.Millisecond)
	require.Eventually(t, func() bool {
		_, err := os.Stat(owner.dir)
		return os.IsNotExist(err)
	}, 10*time.Second, time.Millisecond)
}

// However the owner of a lab dies, nothing of it is left.
func TestALabWithHostsDiesWithItsOwner(t *testing.T) {
	requireNet(t)
	for _, way := range []string{"panic", "SIGKILL"} {
		t.Run(way, func(t *testing.T) {
			owner := startOwner(t, "net "+way)
			var pids []int
			for _, namespace := range owner.namespaces {
				pids = append(pids, programsIn(t, namespace)...)
			}
			require.NotEmpty(t, pids, "the switch at least")
			w := watch(t, owner.namespaces...)

			owner.die(t, way)

			for _, pid := range pids {
				requireGone(t, pid)
			}
			w.requireAllGone(t)
			require.Eventually(t, func() bool {
				_, err := os.Stat(owner.dir)
				return os.IsNotExist(err)
			}, 10*time.Second, time.Millisecond)
		})
	}
}
