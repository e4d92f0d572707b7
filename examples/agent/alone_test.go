//go:build linux

package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A second agent of one bridge would take it from the first, and the first take it back, for ever.
func TestASecondAgentEndsAndLeavesTheBridgeToTheFirst(t *testing.T) {
	t.Parallel()
	r := newLab(t, versions...)
	first := r.launch(nil)
	r.join("v3", group)
	r.awaitBuckets(group, 5*time.Second, "3")
	before := r.everything()
	second := r.begin(nil, "-on-exit", "clean")
	second.await(r.stateFile() + ": state file in use by another process: an agent of bridge br0 is running already")
	require.Error(t, second.cmd.Wait())
	require.NotContains(t, second.said.String(), "openflow")
	require.Equal(t, before, r.everything())
	require.NotContains(t, first.said.String(), "taken the bridge")
	first.kill() // which writes nothing any more, and has no chance to unlock
	r.launch(nil).stop()
	r.launch(nil)
}

// Where no file can be written there is none to lock either, and hosts are served all the same.
func TestAnAgentThatCannotLockServesAllTheSame(t *testing.T) {
	t.Parallel()
	r := newLab(t, versions...)
	p := r.launch(nil, "-state", "/dev/null/agent.state")
	require.Contains(t, p.said.String(), "would not be noticed")
	r.join("v3", group)
	r.awaitBuckets(group, 5*time.Second, "3")
}
