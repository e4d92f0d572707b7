//go:build unix

package ovslab

import (
	"bufio"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func requireInstalled(t *testing.T) {
	t.Helper()
	if _, err := findTools(); err != nil && os.Getenv("CI") != "true" {
		t.Skip(err)
	} else {
		require.NoError(t, err)
	}
}

// daemonPIDs returns the pids of a lab's database and switch.
func daemonPIDs(t *testing.T, dir string) []int {
	t.Helper()
	var pids []int
	for _, name := range []string{"ovsdb-server.pid", "ovs-vswitchd.pid"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
		require.NoError(t, err)
		require.NoError(t, syscall.Kill(pid, 0), "it runs")
		pids = append(pids, pid)
	}
	return pids
}

// owner is another process that owns a lab.
type owner struct {
	cmd        *exec.Cmd
	stdin      io.WriteCloser
	dir        string
	namespaces []string // files, of a lab with hosts
}

func startOwner(t *testing.T, way string) owner {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asOwner+"="+way)
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	what := strings.Fields(line)
	require.DirExists(t, what[0], line)
	return owner{cmd: cmd, stdin: stdin, dir: what[0], namespaces: what[1:]}
}

// die ends the owner in the given way and waits for it.
func (o owner) die(t *testing.T, way string) {
	t.Helper()
	signals := map[string]os.Signal{"SIGINT": os.Interrupt, "SIGTERM": syscall.SIGTERM, "SIGKILL": os.Kill}
	if s, ok := signals[way]; ok {
		require.NoError(t, o.cmd.Process.Signal(s))
	} else {
		_, err := o.stdin.Write([]byte{'\n'})
		require.NoError(t, err)
	}
	require.Error(t, o.cmd.Wait(), "it did not end well")
}

// dialLifeline connects to a daemon's socket; the connection ends with it.
func dialLifeline(t *testing.T, dir, socket string) net.Conn {
	t.Helper()
	conn, err := dialUnix(t.Context(), filepath.Join(dir, socket))
	require.NoError(t, err)
	require.NoError(t, conn.SetDeadline(time.Now().Add(10*time.Second)))
	t.Cleanup(func() { conn.Close() })
	return conn
}

// requireGone waits until a process that has closed its sockets is reaped.
func requireGone(t *testing.T, pid int) {
	t.Helper()
	require.Eventually(t, func() bool { return syscall.Kill(pid, 0) == syscall.ESRCH },
		10*time.Second, time.Millisecond)
}
