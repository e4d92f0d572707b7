package ovslab

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// ToolError tells which command of Open vSwitch failed and what it printed.
type ToolError struct {
	Args   []string // the program's name and its arguments
	Stderr string   // what it printed there, without the final newline
	Err    error    // *exec.ExitError, or why it could not be started
}

// Error names the command and what it said.
func (e *ToolError) Error() string {
	return fmt.Sprintf("%s: %v: %s", strings.Join(e.Args, " "), e.Err, e.Stderr)
}

// Unwrap returns Err.
func (e *ToolError) Unwrap() error { return e.Err }

// Ofctl runs ovs-ofctl in OpenFlow 1.5 and returns its standard output. A -O
// among args chooses another version. The bridge is named as such: Bridge(),
// or Mgmt(). An error is a *ToolError.
func (l *Lab) Ofctl(ctx context.Context, args ...string) (string, error) {
	return l.OfctlInput(ctx, "", args...)
}

// OfctlInput is Ofctl with a standard input, for commands that take a file
// named "-", such as add-groups.
func (l *Lab) OfctlInput(ctx context.Context, stdin string, args ...string) (string, error) {
	return l.runInput(ctx, stdin, l.tools.ofctl, append([]string{"-O", "OpenFlow15", "--no-names"}, args...)...)
}

// Appctl runs ovs-appctl against the lab's ovs-vswitchd and returns its
// standard output. An error is a *ToolError.
func (l *Lab) Appctl(ctx context.Context, args ...string) (string, error) {
	return l.run(ctx, l.tools.appctl, append([]string{"-t", l.path(switchCtl)}, args...)...)
}

// Vsctl runs ovs-vsctl against the lab's database, waits until the switch has
// carried the change out, and returns its standard output. An error is a
// *ToolError.
func (l *Lab) Vsctl(ctx context.Context, args ...string) (string, error) {
	return l.run(ctx, l.tools.vsctl, append([]string{"--db=unix:" + l.path(dbSocket)}, args...)...)
}

func (l *Lab) run(ctx context.Context, program string, args ...string) (string, error) {
	return l.runInput(ctx, "", program, args...)
}

// runInput runs a program that ends with ctx, and with us.
func (l *Lab) runInput(ctx context.Context, stdin, program string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(os.Environ(), l.env...)
	cmd.Stdin = strings.NewReader(stdin)
	// ovs-vsctl would wait for its switch for ever if we died in the middle.
	defer dieWithUs(cmd)()
	return output(ctx, cmd, append([]string{filepath.Base(program)}, args...))
}

// output runs cmd, which errors call args, and returns its standard output.
func output(ctx context.Context, cmd *exec.Cmd, args []string) (string, error) {
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if ctx.Err() != nil && err != nil {
		err = fmt.Errorf("%w: %w", ctx.Err(), err)
	}
	if err != nil {
		err = &ToolError{Args: args, Stderr: strings.TrimSpace(stderr.String()), Err: err}
	}
	return stdout.String(), err
}
