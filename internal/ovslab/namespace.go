package ovslab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// ErrNoNamespaces is wrapped by the error of StartNet where this process cannot
// have network namespaces: it is not root, not on Linux, or without the programs
// that set them up.
var ErrNoNamespaces = errors.New("this process cannot build labs with hosts")

// Namespace is a network namespace of a lab. It has no name in /run/netns: it
// exists as long as the lab holds it open, so that none is left behind whatever
// happens to us. Its methods may be called from any number of goroutines.
type Namespace struct {
	nsenter string
	file    *os.File // the namespace
	path    string   // a name for file that other processes can open
	reaper  *guard

	mu    sync.Mutex
	open  map[io.Closer]struct{} // sockets that end with the namespace; nil once it has ended
	close func() error
}

// newNamespace makes an empty namespace with only the loopback interface, down.
func newNamespace(nsenter string) (*Namespace, error) {
	file, err := unshareNet()
	if err != nil {
		return nil, fmt.Errorf("new namespace: %w", err)
	}
	reaper, err := startReaper(file, nsenter)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	n := &Namespace{
		nsenter: nsenter, file: file, reaper: reaper, open: map[io.Closer]struct{}{},
		path: fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), file.Fd()),
	}
	n.close = sync.OnceValue(n.end)
	return n, nil
}

// end ends sockets and programs, and lets go of the namespace.
func (n *Namespace) end() error {
	n.mu.Lock()
	open := n.open
	n.open = nil
	n.mu.Unlock()
	var errs []error
	for c := range open {
		errs = append(errs, c.Close())
	}
	return errors.Join(append(errs, n.reaper.stop(), n.file.Close())...)
}

// adopt makes a socket end with the namespace at the latest.
func (n *Namespace) adopt(c io.Closer) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.open == nil {
		return errors.Join(os.ErrClosed, c.Close())
	}
	n.open[c] = struct{}{}
	return nil
}

// disown forgets a socket that its user closed.
func (n *Namespace) disown(c io.Closer) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.open, c)
}

func (n *Namespace) ended() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.open == nil
}

// Command prepares a program to be run in the namespace, as exec.CommandContext
// does; the process that is started is the program itself. It and whatever it
// starts is killed when the lab ends, also when we die without ending the lab.
func (n *Namespace) Command(ctx context.Context, name string, args ...string) *exec.Cmd {
	argv := append(append(n.enter(), name), args...)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.WaitDelay = time.Second // for output that a killed program's children hold open
	if n.ended() {
		cmd.Err = os.ErrClosed
	}
	return cmd
}

// enter is the command line that other commands are run in the namespace with.
func (n *Namespace) enter() []string { return []string{n.nsenter, "--net=" + n.path, "--"} }

// Run runs a program in the namespace and returns its standard output. An error
// is a *ToolError.
func (n *Namespace) Run(ctx context.Context, name string, args ...string) (string, error) {
	return n.runInput(ctx, "", name, args...)
}

func (n *Namespace) runInput(ctx context.Context, stdin, name string, args ...string) (string, error) {
	cmd := n.Command(ctx, name, args...)
	cmd.Stdin = strings.NewReader(stdin)
	return output(ctx, cmd, append([]string{name}, args...))
}

// Do calls f on an operating system thread that is in the namespace, and
// returns what it returned. Sockets that f opens belong to the namespace for
// good and may be used from anywhere. A goroutine that f starts, or that the
// standard library starts for it, is not in the namespace. /proc/self/net is not
// the namespace's, /proc/thread-self/net and /proc/sys/net are. f must not call
// runtime.UnlockOSThread.
func (n *Namespace) Do(f func() error) error { return doInNet(n.file, f) }

// setting writes a value below /proc/sys/net.
func (n *Namespace) setting(key, value string) error {
	return n.Do(func() error { return os.WriteFile("/proc/sys/net/"+key, []byte(value), 0) })
}
