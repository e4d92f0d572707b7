// Package running runs an example that prints JSON, one object a line, on a machine of a lab, for its tests.
package running

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
)

// Patience is how long an object is waited for.
const Patience = 30 * time.Second

// life is how long a program may run.
const life = 2 * Patience

// Program is a running program.
type Program struct {
	// Stderr is what it has written there, once it has ended.
	Stderr bytes.Buffer
	// Objects are those that it has printed, until it ends.
	Objects chan map[string]any

	t      *testing.T
	cmd    *exec.Cmd
	waited bool
}

// Start runs the test's own binary in a namespace, where TestMain has to see the variable and be the program then.
func Start(t *testing.T, in *ovslab.Namespace, variable string, args ...string) *Program {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), life)
	p := &Program{t: t, cmd: in.Command(ctx, self, args...), Objects: make(chan map[string]any, 1000)}
	t.Cleanup(func() {
		cancel()
		if !p.waited && p.cmd.Process != nil {
			_, _ = p.end() // which was killed
		}
	})
	p.cmd.Env = append(os.Environ(), variable+"=1")
	p.cmd.Stderr = &p.Stderr
	out, err := p.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, p.cmd.Start())
	go func() {
		defer close(p.Objects)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			o := map[string]any{}
			if json.Unmarshal(lines.Bytes(), &o) == nil {
				p.Objects <- o
			}
		}
	}()
	return p
}

// next is the next object.
func (p *Program) next(late <-chan time.Time) map[string]any {
	p.t.Helper()
	select {
	case o, ok := <-p.Objects:
		require.True(p.t, ok, "the program ended: %s", &p.Stderr)
		return o
	case <-late:
		require.Fail(p.t, "no more objects")
	}
	return nil
}

// Await reads until there is an object with all of these keys and values.
func (p *Program) Await(want map[string]any) map[string]any {
	p.t.Helper()
	for late := time.After(Patience); ; {
		if o := p.next(late); Has(o, want) {
			return o
		}
	}
}

// AwaitAll is Await for several objects, in any order.
func (p *Program) AwaitAll(want ...map[string]any) {
	p.t.Helper()
	for late := time.After(Patience); len(want) > 0; {
		o := p.next(late)
		for i, w := range want {
			if Has(o, w) {
				want = append(want[:i:i], want[i+1:]...)
				break
			}
		}
	}
}

// Has says whether an object has all of these keys and values.
func Has(o, want map[string]any) bool {
	for k, v := range want {
		if o[k] != v {
			return false
		}
	}
	return true
}

// Stop ends the program by a signal, and returns its last object.
func (p *Program) Stop(how syscall.Signal) map[string]any {
	p.t.Helper()
	require.NoError(p.t, p.cmd.Process.Signal(how))
	return p.Wait()
}

// Wait waits for the program's end, and returns its last object.
func (p *Program) Wait() map[string]any {
	p.t.Helper()
	last, err := p.end()
	require.NoError(p.t, err, "%s", &p.Stderr)
	return last
}

func (p *Program) end() (last map[string]any, err error) {
	p.waited = true
	for o := range p.Objects {
		last = o
	}
	return last, p.cmd.Wait()
}
