//go:build linux

package main

import (
	"context"
	"flag"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
)

// runIt runs a command of the program and returns its exit code and what it prints.
func runIt(t *testing.T, words ...string) (code int, out string) {
	t.Helper()
	var stdout, stderr strings.Builder
	code, err := commands()[words[0]](t.Context(), words[1:], &stdout, &stderr)
	if err != nil {
		return code, stdout.String() + err.Error()
	}
	return code, stdout.String()
}

func TestCommandsLookAtARunningAgent(t *testing.T) {
	t.Parallel()
	address := freeAddress(t)
	r := newRig(t, []string{"-http", address}, versions...)
	r.join("v2", group)
	r.awaitBuckets(group, 5*time.Second, "2")
	r.send("sender", ovslab.Stream{To: group, Packets: 50})
	openflow := "-openflow=unix:" + r.lab.Mgmt()

	code, out := runIt(t, "status", "-http", address)
	require.Equal(t, exitGood, code)
	for _, want := range []string{"switch connected", "239.1.1.1", "v2 (2)", "EXCLUDE{}", "SINKS", "joined"} {
		require.Contains(t, out, want)
	}

	sending := make(chan error, 1)
	ctx, stop := context.WithCancel(t.Context())
	go func() { sending <- r.lab.Host("sender").Send(ctx, ovslab.Stream{To: other, Packets: 20_000}) }()
	r.join("v2", other)
	r.awaitBuckets(other, 5*time.Second, "2")
	fast := regexp.MustCompile(`(?m)^239\.1\.1\.2 +[1-9]`)
	eventually(t, func() bool { // the switch counts with a delay
		_, out = runIt(t, "status", "-http", address)
		return fast.MatchString(out)
	}, 10*time.Second, time.Millisecond, "also who looks once sees how fast it is")
	stop()
	<-sending

	sender := r.lab.Host("sender").Addr().String()
	eventually(t, func() bool { // the switch counts with a delay
		code, out = runIt(t, "why", "-http", address, openflow, "239.1.1.1", sender, "v2")
		return strings.Contains(out, "bucket of port 2: there, 50 packets")
	}, 10*time.Second, 100*time.Millisecond, &out)
	require.Equal(t, exitGood, code, out)
	require.Contains(t, out, "it receives: what is sent to 239.1.1.1 goes to the port")
	code, out = runIt(t, "why", "-http", address, openflow, "239.1.1.1", "idle")
	require.Equal(t, exitBad, code, out)
	require.Contains(t, out, "it does not receive: no host behind the port has joined")

	if _, err := exec.LookPath("ovs-appctl"); err == nil {
		_, out = runIt(t, "why", "-http", address, openflow, "-trace", "-target", filepath.Join(r.lab.Dir(), "vswitchd.ctl"), "239.1.1.1", sender, "v2")
		require.Contains(t, out, "group:1000")
	}
	doctor := []string{"doctor", "-http", address, openflow, "-ovsdb", "unix:" + filepath.Join(r.lab.Dir(), "db.sock"), "-bridge", r.lab.Bridge()}
	_, err := r.lab.Vsctl(t.Context(), "set-fail-mode", r.lab.Bridge(), "standalone")
	require.NoError(t, err)
	code, out = runIt(t, doctor...)
	require.Equal(t, exitBad, code, out)
	require.Contains(t, out, "!! fail mode standalone: until it is programmed again a restarted switch floods")
	require.Contains(t, out, "findings: ")
	_, err = r.lab.Vsctl(t.Context(), "set-fail-mode", r.lab.Bridge(), "secure")
	require.NoError(t, err)
	eventually(t, func() bool {
		code, out = runIt(t, doctor...)
		return code == exitGood
	}, 15*time.Second, 100*time.Millisecond, "flows that went with the fail mode are sent again")
	require.Contains(t, out, "flows of an agent are on the switch")
	code, out = runIt(t, append(doctor, "-http", freeAddress(t))...)
	require.Equal(t, exitBad, code, out)
	require.Contains(t, out, "!! no agent answers", "whose are the flows?")

	_, err = r.lab.Vsctl(t.Context(), "set", "bridge", r.lab.Bridge(), "protocols=OpenFlow10,OpenFlow13")
	require.NoError(t, err)
	code, out = runIt(t, doctor...)
	require.Equal(t, exitBad, code, out)
	require.Contains(t, out, "(ovs-vsctl set bridge "+r.lab.Bridge()+" protocols=OpenFlow10,OpenFlow13,OpenFlow15)")
}

func TestWithoutAnAgentCommandsSayWhatIsMissing(t *testing.T) {
	nobody := freeAddress(t)
	code, out := runIt(t, "status", "-http", nobody)
	require.Equal(t, exitUsage, code)
	require.Contains(t, out, "no agent answers")
	code, out = runIt(t, "why", "-http", nobody, "239.1.1.1", "v2")
	require.Equal(t, exitUsage, code)
	require.Contains(t, out, "no agent answers")
	code, _ = runIt(t, "why", "-http", nobody, "what")
	require.Equal(t, exitUsage, code)
	dir := t.TempDir()
	code, out = runIt(t, "doctor", "-http", nobody, "-openflow", "unix:"+dir+"/none", "-ovsdb", "unix:"+dir+"/none")
	require.Equal(t, exitBad, code)
	require.Equal(t, 2, strings.Count(out, "!! "), out)
	require.Contains(t, out, "ok no agent answers", "before the first start")
	var help strings.Builder
	_, err := examine(t.Context(), []string{"-h"}, &help, &help)
	require.ErrorIs(t, err, flag.ErrHelp)
	require.Contains(t, help.String(), "agent doctor looks for")
	require.NotContains(t, help.String(), "Signals:")
	code, _ = runIt(t, "doctor", "-nonsense")
	require.Equal(t, exitUsage, code)
}

func TestStatusIsWatchedUntilItIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out strings.Builder
	code, err := status(ctx, []string{"-watch", "-http", freeAddress(t)}, &out, &out)
	require.NoError(t, err)
	require.Equal(t, exitGood, code)
}

func TestOnlyCommandsAreCommands(t *testing.T) {
	for _, args := range [][]string{nil, {"-bridge", "br0"}, {"nonsense"}} {
		_, ok := runCommand(args)
		require.False(t, ok)
	}
	for name := range commands() {
		code, ok := runCommand([]string{name, "-h"})
		require.True(t, ok)
		require.Equal(t, exitGood, code, "who asks for help gets it")
	}
}
