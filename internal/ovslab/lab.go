package ovslab

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
)

const mgmtSuffix = ".mgmt"

// Lab is a running private switch. Its methods may be called from any number
// of goroutines.
type Lab struct {
	cfg      Config
	tools    tools
	env      []string // keeps every tool inside the lab's directory
	dir      string   // of database, sockets, pid files and logs
	datapath datapath
	close    func() error

	mu       sync.Mutex // held while a daemon is started or ended
	closed   bool
	janitor  *guard // of the directory, which is there before any daemon
	database *guard
	vswitch  *guard // nil while the switch is killed
}

// datapath is how a lab's switch forwards.
type datapath struct {
	kind  string   // the bridge's datapath_type
	enter []string // the command that runs ovs-vswitchd elsewhere, or nothing
	flags []string // of ovs-vswitchd
}

// dummyDatapath needs no interface, no privilege and no namespace.
var dummyDatapath = datapath{kind: "dummy", flags: []string{"--enable-dummy", "--disable-system", "--disable-system-route"}}

// Start starts a lab and returns when its bridge takes connections. ctx bounds
// the start only, which takes at most ten seconds in any case; Close ends the
// lab. The errors wrap ErrNotInstalled where that is the reason, and quote the
// daemon's log where a daemon failed.
func Start(ctx context.Context, cfg Config) (*Lab, error) { return startLab(ctx, cfg, dummyDatapath) }

func startLab(ctx context.Context, cfg Config, how datapath) (*Lab, error) {
	t, err := findTools()
	if err != nil {
		return nil, fmt.Errorf("ovslab: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	dir, err := shortTempDir()
	if err != nil {
		return nil, fmt.Errorf("ovslab: %w", err)
	}
	l := &Lab{cfg: cfg.withDefaults(), tools: t, dir: dir, datapath: how}
	for _, name := range []string{"OVS_RUNDIR", "OVS_LOGDIR", "OVS_DBDIR", "OVS_SYSCONFDIR"} {
		l.env = append(l.env, name+"="+dir)
	}
	l.close = sync.OnceValue(l.end)
	if err := l.start(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("ovslab: %w", err), l.Close())
	}
	return l, nil
}

// Close ends the daemons by their own pids, waits for them, and removes the
// directory. Further calls do nothing and return the same.
func (l *Lab) Close() error { return l.close() }

// end stops the switch before its database.
func (l *Lab) end() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	var errs []error
	for _, g := range []*guard{l.vswitch, l.database, l.janitor} {
		if g != nil {
			errs = append(errs, g.stop())
		}
	}
	return errors.Join(append(errs, os.RemoveAll(l.dir))...)
}

// Dir returns the lab's directory, an absolute path.
func (l *Lab) Dir() string { return l.dir }

// Bridge returns the bridge's name.
func (l *Lab) Bridge() string { return bridge }

// Mgmt returns the path of the bridge's management socket, which takes any
// number of OpenFlow connections. A connection there gets no packet-ins, port
// status or flow-removed until it asks for them.
func (l *Lab) Mgmt() string { return l.path(bridge + mgmtSuffix) }

// Dial opens a connection to the bridge's management socket. It has the shape
// that ofconn.Config.Dial wants.
func (l *Lab) Dial(ctx context.Context) (net.Conn, error) { return dialUnix(ctx, l.Mgmt()) }

func (l *Lab) path(name string) string { return filepath.Join(l.dir, name) }

func dialUnix(ctx context.Context, path string) (net.Conn, error) {
	var d net.Dialer
	return d.DialContext(ctx, "unix", path)
}
