//go:build linux

package main

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// Somebody else becomes master and goes: the agent, which was told nothing meanwhile, takes the
// bridge back.
func TestTheAgentTakesTheBridgeBackFromAnotherMaster(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil, versions...)
	r.join("v2", group)
	r.awaitBuckets(group, 5*time.Second, "2")
	other := ofconn.New(ofconn.Config{Dial: r.lab.Dial})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- other.Run(ctx) }()
	require.NoError(t, other.WaitConnected(within(t, 5*time.Second)))
	stop()
	require.NoError(t, <-ended)

	r.join("v3", group)
	r.awaitBuckets(group, 8*time.Second, "2", "3")
}

// A port that was deleted and made while the switch was down, with the number of another, inherits
// nothing from it.
func TestAPortNumberThatChangedHandsWhileTheSwitchWasAwayInheritsNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil, versions...)
	r.join("v2", group)
	r.join("v3", group)
	r.awaitBuckets(group, 5*time.Second, "2", "3")
	require.NoError(t, r.lab.KillSwitch())
	// Without a switch ovs-vsctl would wait for one to take the change over.
	for _, args := range [][]string{
		{"--no-wait", "del-port", r.lab.Bridge(), "v3"},
		{"--no-wait", "add-port", r.lab.Bridge(), "stranger", "--", "set", "interface", "stranger", "type=internal", "ofport_request=3"},
	} {
		_, err := r.lab.Vsctl(t.Context(), args...)
		require.NoError(t, err)
	}
	require.NoError(t, r.lab.RestartSwitch(within(t, 20*time.Second)))
	r.awaitBuckets(group, 10*time.Second, "2")
}

func TestAGatewayWithAnotherNumberIsFollowed(t *testing.T) {
	t.Parallel()
	r := newGatewayRig(t, versions...)
	r.join("v3", group)
	r.awaitBuckets(group, 5*time.Second, "3", gatewayPort)
	for _, args := range [][]string{
		{"del-port", r.lab.Bridge(), "gw0"},
		{"add-port", r.lab.Bridge(), "gw0", "--", "set", "interface", "gw0", "type=internal", "ofport_request=101"},
	} {
		_, err := r.lab.Vsctl(t.Context(), args...)
		require.NoError(t, err)
	}
	r.awaitBuckets(group, 10*time.Second, "3", "101")
	flows, err := r.lab.Ofctl(t.Context(), "dump-flows", r.lab.Mgmt(), "table=100")
	require.NoError(t, err)
	require.Contains(t, flows, "in_port=101,nw_proto=2 actions=drop")
	require.NotContains(t, flows, "in_port="+gatewayPort+",", "who gets that number must be heard")
}
