//go:build linux

package ovslab

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func threadNamespace() (string, error) { return os.Readlink("/proc/thread-self/ns/net") }

// A function in a namespace never drags another goroutine, or the process as
// seen from outside, along.
func TestNothingElseEndsUpInANamespace(t *testing.T) {
	lab := NewNet(t, NetConfig{Hosts: []HostConfig{{Name: "a"}}})
	home, err := threadNamespace()
	require.NoError(t, err)
	var all sync.WaitGroup
	for range 200 {
		all.Go(func() {
			var inside string
			err := lab.Host("a").Do(func() (err error) {
				runtime.Gosched()
				inside, err = threadNamespace()
				return err
			})
			if err != nil || inside == home {
				t.Errorf("not inside: %v", err)
			}
		})
		all.Go(func() {
			if now, err := threadNamespace(); err != nil || now != home {
				t.Errorf("strayed into %s: %v", now, err)
			}
		})
	}
	all.Wait()
	process, err := os.Readlink("/proc/self/ns/net")
	require.NoError(t, err)
	require.Equal(t, home, process)
}

func TestDoReturnsWhatItsFunctionDoes(t *testing.T) {
	lab := NewNet(t, NetConfig{Hosts: []HostConfig{{Name: "a"}}})
	a := lab.Host("a")
	want := errors.New("as the test wants it")
	require.Equal(t, want, a.Do(func() error { return want }))
	require.ErrorContains(t, a.Do(func() error { runtime.Goexit(); return nil }), "Goexit")
}

func TestAProgramRunsInItsHostOnly(t *testing.T) {
	lab := NewNet(t, NetConfig{Hosts: []HostConfig{{Name: "a"}}})
	out, err := lab.Host("a").Run(t.Context(), "ip", "-brief", "-4", "address", "show", "dev", "eth0")
	require.NoError(t, err)
	require.Contains(t, out, "192.0.2.1/24")
	out, err = lab.Host("a").Run(t.Context(), "ip", "-6", "address")
	require.NoError(t, err)
	require.Empty(t, out, "no IPv6 unless asked for")

	_, err = lab.Host("a").Run(t.Context(), "ip", "link", "show", "dev", "none")
	var tool *ToolError
	require.ErrorAs(t, err, &tool)
	require.Equal(t, "ip", tool.Args[0])
	require.Contains(t, tool.Stderr, "none")
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
}
