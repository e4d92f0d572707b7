package ovslab

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// guardScript runs "$@" as its child and ends it when a line arrives on
// standard input, or when standard input ends. The child is not waited for
// before it is killed, so its pid cannot have passed to another process. A
// line means that the owner ends the daemon; the end of input without a line
// means that the owner died, and then nobody else will remove the directory $1.
// When several guards share a directory, the last to get
// there finds every daemon dead and removes what the earlier ones could not.
const guardScript = `
dir=$1; shift
exec 3<&0
"$@" </dev/null 3<&- &
read -r _ <&3; orphaned=$?
kill -9 $! 2>/dev/null
wait $!
if [ $orphaned -ne 0 ]; then rm -rf "$dir"; fi
exit 0
`

// guard keeps one daemon, or a namespace's programs, that end with this process.
type guard struct {
	// stop ends them with SIGKILL and returns when they are gone; further calls
	// return what the first returned.
	stop func() error
}

// startGuard starts argv with env added to our environment and both output
// streams appended to the file log, after which errors name the daemon. If this
// process dies first, the guard removes the directory dir.
func startGuard(argv, env []string, log, dir string) (*guard, error) {
	// A file and not a pipe: `go test` waits for whoever holds a pipe of ours.
	out, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer out.Close() // the child has its own copy
	cmd := exec.Command("/bin/sh", append([]string{"-c", guardScript, "ovslab-guard", dir}, argv...)...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = out, out
	return watchOver(cmd, strings.TrimSuffix(filepath.Base(log), ".log"))
}

// watchOver starts a shell that ends what it guards when its standard input
// does. Errors call what it guards by the name ward.
func watchOver(cmd *exec.Cmd, ward string) (*guard, error) {
	leaveTerminal(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("guard of %s: %w", ward, err)
	}
	return &guard{stop: sync.OnceValue(func() error {
		if err := endGuard(cmd, in); err != nil {
			return fmt.Errorf("guard of %s: %w", ward, err)
		}
		return nil
	})}, nil
}

// endGuard says goodbye to the guard and waits for it, and so for its ward.
func endGuard(cmd *exec.Cmd, in io.WriteCloser) error {
	_, werr := io.WriteString(in, "end\n")
	in.Close()
	if err := cmd.Wait(); err != nil {
		return err
	}
	return werr
}
