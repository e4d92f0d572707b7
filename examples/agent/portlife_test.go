//go:build linux

package main

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/internal/ovslab"
)

// seldom asks so seldom that whoever hears a query heard it for a reason of its own.
func seldom() []string { return []string{"-query-interval", "1000s", "-query-response", "10s"} }

// quiet waits until the first query of a start is behind us; the next is minutes away.
func (r *rig) quiet() { time.Sleep(500 * time.Millisecond) }

func TestANewPortHearsAQueryAtOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t, seldom(), versions...)
	require.NoError(t, r.lab.DelPort(t.Context(), "v3"))
	r.quiet()
	heard := r.capture("v3", isGeneralQuery)
	added := time.Now()
	require.NoError(t, r.lab.AddPort(t.Context(), "v3"))
	r.await(heard, 1)
	require.Less(t, heard.Frames()[0].At.Sub(added), 2*time.Second)
}

// Where another router queries, a new port need not wait for its next query either.
func TestANewPortHearsAQueryAtOnceAlsoBesideAnotherQuerier(t *testing.T) {
	t.Parallel()
	r := newRig(t, append(seldom(), "-router-port", "router"), besideRouter...)
	require.NoError(t, r.lab.DelPort(t.Context(), "idle"))
	r.query("router", nil, igmp.Query{Version: 3})
	r.quiet()
	heard := r.capture("idle", isGeneralQuery)
	require.NoError(t, r.lab.AddPort(t.Context(), "idle"))
	r.await(heard, 1)
}

// One transaction of the database takes a port away and gives its number to another interface.
func TestAPortNumberThatIsUsedAgainInheritsNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, seldom(), versions...)
	r.join("v3", group)
	r.join("v2", group)
	r.awaitBuckets(group, 5*time.Second, "2", "3")
	_, err := r.lab.Vsctl(t.Context(), "del-port", "v3", "--", "add-port", r.lab.Bridge(), "stranger", "--",
		"set", "interface", "stranger", "type=internal", "ofport_request=3")
	require.NoError(t, err)
	number, err := r.lab.Vsctl(t.Context(), "get", "interface", "stranger", "ofport")
	require.NoError(t, err)
	require.Equal(t, "3\n", number)
	_, err = r.lab.Node().Run(t.Context(), "ip", "link", "set", "dev", "stranger", "up")
	require.NoError(t, err)
	r.awaitBuckets(group, 1500*time.Millisecond, "2")
	got, err := r.lab.Capture("stranger", isStreamTo(group))
	require.NoError(t, err)
	tap := r.tap("v2", group)
	r.send("sender", ovslab.Stream{To: group, Packets: 100})
	requireOnce(t, tap, 100)
	require.Empty(t, got.Frames())
}

// What it is set to is read before anything of it counts.
func TestANewPortIsServedWithItsOwnVLANFromTheStart(t *testing.T) {
	t.Parallel()
	r := newVLANRig(t, access10and20())
	require.NoError(t, r.lab.DelPort(t.Context(), "b20"))
	r.awaitMembersIn(20, group, time.Second)
	r.join("b20", group)
	_, err := r.lab.Vsctl(t.Context(), "add-port", r.lab.Bridge(), "b20", "tag=10", "--",
		"set", "interface", "b20", fmt.Sprintf("ofport_request=%d", r.lab.PortNumber("b20")))
	require.NoError(t, err)
	r.awaitMembersIn(10, group, 5*time.Second, "b20")
	require.Empty(t, r.membersIn(0, group))
	require.Empty(t, r.membersIn(20, group))
}

func TestARestartedAgentLosesNothingInAVLAN(t *testing.T) {
	t.Parallel()
	r := newLab(t, ovslab.HostConfig{Name: "a10"}, ovslab.HostConfig{Name: "s10"}, ovslab.HostConfig{Name: "trunk"})
	r.setPort("a10", "tag=10")
	r.setPort("s10", "tag=10")
	first := r.launch(nil)
	r.join("a10", group)
	r.awaitMembersIn(10, group, 5*time.Second, "a10")
	tap := r.tap("a10", group)
	sent := make(chan error, 1)
	go func() {
		sent <- r.lab.Host("s10").Send(t.Context(), ovslab.Stream{To: group, Packets: 3000})
	}()
	_, err := tap.Await(within(t, 5*time.Second), 100)
	require.NoError(t, err)
	first.kill()
	r.launch(nil)
	require.NoError(t, <-sent)
	requireTags(t, tap, 3000, ovslab.Tag{})
}

func TestARestartedSwitchTellsVLANsApartAgain(t *testing.T) {
	t.Parallel()
	r := newVLANRig(t, access10and20())
	r.join("a10", group)
	r.join("b20", group)
	r.awaitMembersIn(20, group, 5*time.Second, "b20")
	require.NoError(t, r.lab.RestartSwitch(within(t, 20*time.Second)))
	r.awaitMembersIn(10, group, 10*time.Second, "a10")
	r.awaitMembersIn(20, group, 5*time.Second, "b20")
	a10, b20 := r.tap("a10", group), r.tap("b20", group)
	r.send("s10", ovslab.Stream{To: group, Packets: 200})
	requireOnce(t, a10, 200)
	require.Empty(t, b20.Arrivals())
}
