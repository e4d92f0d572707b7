package ovslab

import (
	"os/exec"
	"runtime"
	"syscall"
)

// dieWithUs makes the kernel kill the program when we die. It does so when the
// thread that starts the program ends, so the calling goroutine keeps its thread
// until it has waited for the program and calls release.
func dieWithUs(cmd *exec.Cmd) (release func()) {
	runtime.LockOSThread()
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return runtime.UnlockOSThread
}
