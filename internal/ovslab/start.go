package ovslab

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

const (
	startTimeout = 10 * time.Second
	// probeEvery is how often a starting daemon's socket is tried: a daemon
	// that is not detached has no way to say that it listens.
	probeEvery = 2 * time.Millisecond
)

const (
	dbSocket    = "db.sock"
	switchCtl   = "vswitchd.ctl"
	dbCtl       = "ovsdb.ctl"
	pidOfSwitch = "ovs-vswitchd.pid"
	logOfDB     = "ovsdb-server.log"
	logOfSwitch = "ovs-vswitchd.log"
)

// start brings up the database, the switch and the bridge, in this order. The
// switch is started only once the database listens, for after a refused
// connection it would wait a second before it tries again.
func (l *Lab) start(ctx context.Context) error {
	var err error
	if l.janitor, err = startGuard([]string{"true"}, nil, l.path("janitor.log"), l.dir); err != nil {
		return err
	}
	if _, err := l.run(ctx, l.tools.dbTool, "create", l.path("conf.db"), l.tools.schema); err != nil {
		return err
	}
	if err := l.daemon(ctx, &l.database, logOfDB, dbSocket,
		l.tools.dbServer, l.path("conf.db"), "--remote=punix:"+l.path(dbSocket),
		"--pidfile="+l.path("ovsdb-server.pid"), "--unixctl="+l.path(dbCtl), "-vsyslog:off"); err != nil {
		return err
	}
	if err := l.startSwitch(ctx); err != nil {
		return err
	}
	if _, err := l.Vsctl(ctx, l.bridgeCommands()...); err != nil {
		return fmt.Errorf("%w\n%s", err, l.logTail(logOfSwitch))
	}
	return nil
}

// startSwitch starts ovs-vswitchd and returns when it takes commands.
func (l *Lab) startSwitch(ctx context.Context) error {
	argv := append(slices.Clone(l.datapath.enter), l.tools.vswitchd, "unix:"+l.path(dbSocket),
		"--pidfile="+l.path(pidOfSwitch), "--unixctl="+l.path(switchCtl), "-vsyslog:off")
	return l.daemon(ctx, &l.vswitch, logOfSwitch, switchCtl, append(argv, l.datapath.flags...)...)
}

// bridgeCommands is one ovs-vsctl transaction for the bridge and its ports;
// ovs-vsctl returns when the switch has carried it out.
func (l *Lab) bridgeCommands() []string {
	args := []string{"add-br", bridge, "--", "set", "bridge", bridge,
		"datapath_type=" + l.datapath.kind, "fail_mode=" + l.cfg.FailMode, "protocols=" + l.cfg.Protocols}
	for i, port := range l.cfg.Ports {
		args = append(args, "--", "add-port", bridge, port, "--", "set", "interface", port,
			"type=dummy", fmt.Sprintf("ofport_request=%d", i+1))
	}
	return args
}

// daemon starts argv under a guard, kept in slot, and returns when its socket
// takes connections.
func (l *Lab) daemon(ctx context.Context, slot **guard, log, socket string, argv ...string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return os.ErrClosed
	}
	g, err := startGuard(argv, l.env, l.path(log), l.dir)
	if err != nil {
		return err
	}
	*slot = g
	if err := awaitSocket(ctx, l.path(socket)); err != nil {
		return fmt.Errorf("%s did not start: %w\n%s", strings.TrimSuffix(log, ".log"), err, l.logTail(log))
	}
	return nil
}

// awaitSocket returns when a connection to path succeeds, or ctx ends.
func awaitSocket(ctx context.Context, path string) error {
	probe := time.NewTicker(probeEvery)
	defer probe.Stop()
	for {
		conn, err := dialUnix(ctx, path)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-probe.C:
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", ctx.Err(), err)
		}
	}
}

// logTail is the last lines of a daemon's log, for error texts.
func (l *Lab) logTail(name string) string {
	data, err := os.ReadFile(l.path(name))
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	return strings.Join(lines[max(0, len(lines)-10):], "\n")
}
