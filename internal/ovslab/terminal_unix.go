//go:build unix

package ovslab

import (
	"os/exec"
	"syscall"
)

// leaveTerminal gives the command a process group of its own, so that Ctrl-C
// ends us and not the guard, which then ends its daemon in its own order.
func leaveTerminal(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}
