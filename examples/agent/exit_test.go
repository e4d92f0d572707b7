//go:build linux

package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// everything is what is on the switch, without counters and times.
func (r *rig) everything() string {
	r.t.Helper()
	text := ""
	for _, what := range []string{"dump-flows", "dump-groups", "dump-meters"} {
		out, err := r.lab.Ofctl(r.t.Context(), what, r.lab.Mgmt())
		require.NoError(r.t, err)
		text += out
	}
	text = regexp.MustCompile(`xid=\S+|duration=\S+ |n_packets=\S+ |n_bytes=\S+ |idle_age=\S+ `).ReplaceAllString(text, "")
	return strings.Join(slices.Sorted(strings.Lines(text)), "") // groups come in any order
}

// others puts on the switch what the agent must not touch: flows beside its own, with a cookie that is
// nearly its own, and groups and meters beside its numbers.
func (r *rig) others() {
	r.t.Helper()
	for _, args := range [][]string{
		{"add-group", r.lab.Mgmt(), "group_id=999,type=all,bucket=actions=output:1"},
		{"add-group", r.lab.Mgmt(), "group_id=65536,type=all,bucket=actions=output:1"},
		{"add-flow", r.lab.Mgmt(), "cookie=0x6f666d64000003e8,table=100,priority=7,ip,actions=group:999"},
		{"add-flow", r.lab.Mgmt(), "table=101,priority=7,ip,actions=drop"},
		{"add-meter", r.lab.Mgmt(), "meter=10,pktps,bands=type=drop,rate=7"},
		{"add-meter", r.lab.Mgmt(), "meter=65546,pktps,bands=type=drop,rate=7"},
	} {
		_, err := r.lab.Ofctl(r.t.Context(), args...)
		require.NoError(r.t, err)
	}
}

func TestACleanExitLeavesWhatWasThereBefore(t *testing.T) {
	t.Parallel()
	r := newLab(t, versions...)
	vsctl(t, r.lab.Lab, "set", "bridge", "br0", "other_config:mcast-snooping-disable-flood-unregistered=false")
	r.others()
	before, settings := r.everything(), vsctl(t, r.lab.Lab, "get", "bridge", "br0", "mcast_snooping_enable", "other_config")
	p := r.launch(nil, "-on-exit", "clean", "-ovs-snooping")
	r.join("v3", group)
	r.awaitBuckets(group, 5*time.Second, "3")
	eventually(t, r.snooping, 5*time.Second, 20*time.Millisecond)
	p.kill() // the next one has not seen what was there before
	p = r.launch(nil, "-on-exit", "clean", "-ovs-snooping")
	p.stop()
	require.Equal(t, before, r.everything())
	require.Equal(t, settings, vsctl(t, r.lab.Lab, "get", "bridge", "br0", "mcast_snooping_enable", "other_config"))
	_, err := os.Stat(r.stateFile())
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestByDefaultTheEndOfTheAgentChangesNothingOnTheSwitch(t *testing.T) {
	t.Parallel()
	r := newLab(t, versions...)
	p := r.launch(nil)
	r.join("v3", group)
	r.awaitBuckets(group, 5*time.Second, "3")
	before := r.everything()
	p.stop()
	require.Equal(t, before, r.everything())
	m, said := recalled(options{state: r.stateFile(), bridge: "br0", openflow: "unix:" + r.lab.Mgmt()})
	require.Empty(t, said)
	require.Len(t, m.Memberships.Memberships, 1)
	require.Equal(t, "v3", m.Ports[m.Memberships.Memberships[0].Member.Port])
}

// Two agents of one bridge are a mistake. The one that is refused, or that the other one takes the bridge
// from again, must not take away what is the other's.
func TestACleanExitTouchesOnlyWhatWasTakenOver(t *testing.T) {
	t.Parallel()
	r := newLab(t, versions...)
	r.launch(nil, "-ovs-snooping")
	r.join("v3", group)
	r.awaitBuckets(group, 5*time.Second, "3")
	eventually(t, r.snooping, 5*time.Second, 20*time.Millisecond)
	state := options{state: r.stateFile(), bridge: "br0", openflow: "unix:" + r.lab.Mgmt()}
	eventually(t, func() bool { m, _ := recalled(state); return len(m.Memberships.Memberships) == 1 }, 5*time.Second, 50*time.Millisecond)
	before := r.everything()
	p := r.begin(nil, "-state", r.stateFile()+".other", "-on-exit", "clean", "-ovs-snooping", "-gateway", "none")
	p.await("the bridge has no such port")
	require.NoError(t, p.cmd.Process.Signal(os.Interrupt))
	require.Error(t, p.cmd.Wait())
	require.Contains(t, p.said.String(), "not clean: "+errNotOurs.Error())
	require.Equal(t, before, r.everything())
	require.True(t, r.snooping())
	m, said := recalled(state)
	require.Empty(t, said)
	require.Len(t, m.Memberships.Memberships, 1)
	require.NotNil(t, m.Snooping)
}

func TestACleanExitWithoutASwitchIsAFailure(t *testing.T) {
	t.Parallel()
	r := newLab(t, versions...)
	p := r.launch(nil, "-on-exit", "clean")
	require.NoError(t, r.lab.KillSwitch())
	require.NoError(t, p.cmd.Process.Signal(os.Interrupt))
	require.Error(t, p.cmd.Wait())
	require.Contains(t, p.said.String(), "nothing was taken off the switch")
}
