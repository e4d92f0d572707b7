//go:build linux

package main

import (
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/agent/view"
	"github.com/ofmcast/ofmcast/internal/ovslab"
)

// withConfig starts an agent with a configuration file, and returns how to write it anew.
func withConfig(t *testing.T, text string, hosts ...ovslab.HostConfig) (r *rig, address string, rewrite func(string)) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "agent.yaml")
	write := func(text string) { replace(t, path, text) } // another test's signal is for every agent of this process
	address = freeAddress(t)
	write("http: " + address + "\n" + text)
	r = newRig(t, []string{"-config", path}, hosts...)
	return r, address, func(text string) {
		write("http: " + address + "\n" + text)
		require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGHUP))
	}
}

// static has one join, which shows that the policy is followed.
const static = "  static:\n    - {port: idle, group: 239.9.9.9}\n"

// portOf is what is shown of a port.
func portOf(t *testing.T, s view.State, name string) view.Port {
	t.Helper()
	for _, p := range s.Ports {
		if p.Name == name {
			return p
		}
	}
	require.Fail(t, "no such port", name)
	return view.Port{}
}

func TestThePolicyIsFollowedAndReadAnew(t *testing.T) {
	t.Parallel()
	r, address, rewrite := withConfig(t, "policy:\n  rules:\n    - deny: {port: v3, group: 239.1.1.1}\n"+static, versions...)
	r.awaitBuckets(staticGroup, 5*time.Second, "4")
	r.join("v2", group)
	r.join("v3", group)
	r.join("v3", other)
	r.awaitBuckets(group, 5*time.Second, "2")
	r.awaitBuckets(other, 5*time.Second, "3")
	var s view.State
	eventually(t, func() bool { s = stateAt(t, address); return portOf(t, s, "v3").Denied > 0 }, 5*time.Second, 100*time.Millisecond)
	require.NotZero(t, s.Totals.Denied)
	code, out := runIt(t, "why", "-http", address, "-openflow", "unix:"+r.lab.Mgmt(), "239.1.1.1", "v3")
	require.Equal(t, exitBad, code)
	require.Regexp(t, `it does not receive: denied by rule 1 \(\S+agent\.yaml:4\)`, out)
	_, out = runIt(t, "why", "-http", address, "-openflow", "unix:"+r.lab.Mgmt(), "239.1.1.9", "v3")
	require.Contains(t, out, "the policy allows it: no rule matches")
	require.NotContains(t, out, "denied", "what was denied is another group")
	_, out = runIt(t, "why", "-http", address, "-openflow", "unix:"+r.lab.Mgmt(), "239.1.1.1@99", "v2")
	require.Contains(t, out, "port v2 carries packets without a VLAN")
	require.Contains(t, out, "it does not receive: VLAN 99 is not served")
	require.True(t, slices.ContainsFunc(s.Events, func(e view.Event) bool { return strings.HasPrefix(e.Text, "by rule 1 (") }))
	require.Zero(t, portOf(t, s, "v2").Denied)

	rewrite("policy:\n  rules:\n    - deny: {port: v2}\n" + static)
	r.awaitBuckets(group, 8*time.Second, "3") // v2 is dropped though it answers; v3 is asked, and may
	rewrite("policy:\n  nonsense: 1\n")
	rewrite("nonsense: 1\n")
	never(t, func() bool { return r.bucketsOf(group) == nil || r.bucketsOf(staticGroup) == nil }, 2*time.Second, 200*time.Millisecond,
		"a file with an error changes nothing")
	require.NotZero(t, portOf(t, stateAt(t, address), "v2").Denied)
	require.NoError(t, r.lab.DelPort(t.Context(), "v2"))
	time.Sleep(1200 * time.Millisecond)
	require.NoError(t, r.lab.AddPort(t.Context(), "v2"))
	rewrite("policy: {}\n")
	r.awaitGone(staticGroup, 5*time.Second)
	eventually(t, func() bool { return portOf(t, stateAt(t, address), "v2").Denied == 0 }, 5*time.Second, 100*time.Millisecond,
		"a port that comes inherits nothing")
	r.awaitBuckets(group, 5*time.Second, "2", "3")
}

// A file is empty while it is written anew: that must not let everybody in.
func TestAFileThatSaysNothingIsNotReadAnew(t *testing.T) {
	t.Parallel()
	r := newLab(t, versions...)
	path := filepath.Join(t.TempDir(), "agent.yaml")
	replace(t, path, "policy:\n"+static)
	p := r.launch(nil, "-config", path)
	r.awaitBuckets(staticGroup, 5*time.Second, "4")
	for n, text := range []string{"", "# policy:\n"} {
		replace(t, path, text)
		require.NoError(t, p.cmd.Process.Signal(syscall.SIGHUP))
		eventually(t, func() bool { return strings.Count(p.said.String(), "the file says nothing") == n+1 }, 5*time.Second, 20*time.Millisecond)
	}
	require.NotContains(t, p.said.String(), "policy read again")
	require.Equal(t, []string{"4"}, r.bucketsOf(staticGroup))
	replace(t, path, "policy:\n")
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGHUP))
	r.awaitGone(staticGroup, 5*time.Second)
}

func TestADrainedPortIsEmptyUntilItIsNot(t *testing.T) {
	t.Parallel()
	r, address, rewrite := withConfig(t, "policy:\n"+static, versions...)
	r.awaitBuckets(staticGroup, 5*time.Second, "4")
	r.join("v3", group)
	r.join("v2", group)
	r.awaitBuckets(group, 5*time.Second, "2", "3")
	rewrite("policy:\n  drain: [v3, idle]\n" + static)
	r.awaitBuckets(group, 3*time.Second, "2")
	r.awaitGone(staticGroup, 3*time.Second)
	eventually(t, func() bool { return portOf(t, stateAt(t, address), "v3").Drained }, 3*time.Second, 100*time.Millisecond)
	never(t, func() bool { return len(r.bucketsOf(group)) != 1 }, 2500*time.Millisecond, 100*time.Millisecond, "its host answers queries")
	rewrite("policy:\n" + static)
	r.awaitBuckets(group, 5*time.Second, "2", "3")
	r.awaitBuckets(staticGroup, 5*time.Second, "4")
}

func TestWhileFrozenNobodyLeaves(t *testing.T) {
	t.Parallel()
	r, _, rewrite := withConfig(t, "policy:\n  freeze: true\n"+static, versions...)
	r.awaitBuckets(staticGroup, 5*time.Second, "4")
	m := r.join("v3", group)
	r.awaitBuckets(group, 5*time.Second, "3")
	require.NoError(t, m.Leave())
	never(t, func() bool { return r.bucketsOf(group) == nil }, 4*time.Second, 200*time.Millisecond)
	rewrite("policy:\n" + static)
	r.awaitGone(group, 10*time.Second)
}

func TestWhatADryRunPrintsIsWhatTheAgentDoes(t *testing.T) {
	t.Parallel()
	r := newLab(t, versions...)
	path := filepath.Join(t.TempDir(), "agent.yaml")
	require.NoError(t, os.WriteFile(path, []byte("policy:\n  static:\n    - {port: v2, group: 239.1.1.1}\n"+
		"    - {port: v3, group: 239.1.1.1, sources: [192.0.2.77]}\n"), 0o600))
	args := []string{"-config", path, "-openflow", "unix:" + r.lab.Mgmt(), "-ovsdb", ""}
	before := r.programmed()
	o, err := parseOptions(append(args, "-dry-run"), os.Stderr)
	require.NoError(t, err)
	var printed strings.Builder
	require.NoError(t, dryRun(t.Context(), o, &printed, newLogger(o, os.Stderr)))
	require.Equal(t, before, r.programmed(), "it changes nothing")

	// ovs-ofctl does what is printed, and a real agent then finds nothing to do.
	for line := range strings.Lines(printed.String()) {
		if meter, ok := strings.CutPrefix(line, "# meter add "); ok {
			_, err := r.lab.Ofctl(t.Context(), "add-meter", r.lab.Mgmt(), strings.TrimSpace(meter))
			require.NoError(t, err)
		}
	}
	file := filepath.Join(t.TempDir(), "bundle")
	require.NoError(t, os.WriteFile(file, []byte(printed.String()), 0o600))
	_, err = r.lab.Ofctl(t.Context(), "bundle", r.lab.Mgmt(), file)
	require.NoError(t, err, printed.String())
	byHand := r.programmed()
	require.Contains(t, byHand, "nw_src=192.0.2.77,nw_dst=239.1.1.1")
	r.startAgent([]string{"-config", path})
	eventually(t, func() bool { return r.bucketsOf(group) != nil }, 5*time.Second, 50*time.Millisecond)
	eventually(t, func() bool { return r.programmed() == byHand }, 5*time.Second, 100*time.Millisecond,
		"the agent makes it so", byHand)
}

// staticGroup is what static joins.
var staticGroup = netip.MustParseAddr("239.9.9.9")

// programmed are the flows and groups of the switch, without what counts.
func (r *rig) programmed() string {
	flows, err := r.lab.Ofctl(r.t.Context(), "--no-stats", "--names", "--sort", "dump-flows", r.lab.Mgmt())
	require.NoError(r.t, err)
	groups, err := r.lab.Ofctl(r.t.Context(), "dump-groups", r.lab.Mgmt())
	require.NoError(r.t, err)
	lines := strings.Split(groups, "\n")
	slices.Sort(lines)
	return regexp.MustCompile(`(?m)cookie=0x[0-9a-f]+, |, xid=0x[0-9a-f]+`).ReplaceAllString(flows+strings.Join(lines, "\n"), "")
}
