//go:build linux

package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/agent/fdstore/fdstoretest"
)

// process is an agent in a process of its own on the switch's machine, which can be killed.
type process struct {
	t    testing.TB
	cmd  *exec.Cmd
	said *transcript
}

// transcript is what a process says, to be read while it speaks.
type transcript struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *transcript) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *transcript) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// stateFile is where the agents of a rig keep their state.
func (r *rig) stateFile() string { return filepath.Join(r.lab.Dir(), "agent.state") }

// launch starts an agent and returns when it has brought the switch up to date. If it is not ended
// before, the test's end kills it.
func (r *rig) launch(store *fdstoretest.Store, args ...string) *process {
	r.t.Helper()
	p := r.begin(store, args...)
	p.await("switch is up to date")
	return p
}

// begin is launch that does not wait.
func (r *rig) begin(store *fdstoretest.Store, args ...string) *process {
	r.t.Helper()
	self, err := os.Executable()
	require.NoError(r.t, err)
	p := &process{t: r.t, said: &transcript{}}
	p.cmd = r.lab.Node().Command(context.Background(), self, append([]string{
		"-openflow", "unix:" + r.lab.Mgmt(), "-ovsdb", "unix:" + r.lab.Dir() + "/db.sock",
		"-query-interval", "2s", "-query-response", "1s", "-state", r.stateFile(),
	}, args...)...)
	p.cmd.Env = append(os.Environ(), actAsAgent+"=1")
	p.cmd.Stderr = p.said
	if store != nil {
		require.NoError(r.t, store.Attach(p.cmd))
	}
	require.NoError(r.t, p.cmd.Start())
	r.t.Cleanup(p.kill)
	return p
}

// inside runs a command on the switch's machine, and returns what it prints.
func (r *rig) inside(args ...string) string {
	r.t.Helper()
	self, err := os.Executable()
	require.NoError(r.t, err)
	cmd := r.lab.Node().Command(r.t.Context(), self, args...)
	cmd.Env = append(os.Environ(), actAsAgent+"=1")
	out, _ := cmd.CombinedOutput() // what it thinks of it is in the text
	return string(out)
}

// await waits until the agent has said something.
func (p *process) await(what string) {
	p.t.Helper()
	eventually(p.t, func() bool { return strings.Contains(p.said.String(), what) }, 20*time.Second, 5*time.Millisecond, p.said)
}

// kill ends the agent as a crash does.
func (p *process) kill() {
	if p.cmd.ProcessState == nil {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
	}
}

// stop ends the agent as a service manager does.
func (p *process) stop() {
	p.t.Helper()
	require.NoError(p.t, p.cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(p.t, p.cmd.Wait(), "%s", p.said)
}
