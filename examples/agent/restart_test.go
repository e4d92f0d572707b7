//go:build linux

package main

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
)

// youngest is the age of the newest flow in the agent's tables.
func (r *rig) youngest() time.Duration {
	r.t.Helper()
	dump, err := r.lab.Ofctl(r.t.Context(), "dump-flows", r.lab.Mgmt(), "cookie=0x6f666d6300000000/0xffffffff00000000")
	require.NoError(r.t, err)
	least := time.Hour
	ages := regexp.MustCompile(`duration=([0-9.]+)s`).FindAllStringSubmatch(dump, -1)
	require.Greater(r.t, len(ages), len(versions), "flows of the agent")
	for _, age := range ages {
		s, err := strconv.ParseFloat(age[1], 64)
		require.NoError(r.t, err)
		least = min(least, time.Duration(s*float64(time.Second)))
	}
	return least
}

// awaitGroups waits until the sink's groups lead to these ports.
func (r *rig) awaitGroups(ports ...string) {
	r.t.Helper()
	slices.Sort(ports)
	eventually(r.t, func() bool {
		dump, err := r.lab.Ofctl(r.t.Context(), "dump-groups", r.lab.Mgmt())
		require.NoError(r.t, err)
		have := []string{}
		for _, id := range regexp.MustCompile(`group_id=(\d{4,5}),`).FindAllStringSubmatch(dump, -1) {
			have = append(have, strings.Join(r.groupPorts(id[1]), " "))
		}
		slices.Sort(have)
		return slices.Equal(have, ports)
	}, 10*time.Second, 20*time.Millisecond, ports)
	time.Sleep(settled)
}

// A stream of 1,000 packets a second between ports of the bridge, for any source and for a named one,
// through the death of the agent and the whole start of the next one: not a packet is lost, none comes
// twice, and who has not joined gets nothing.
func TestAStreamInsideTheBridgeSurvivesTheDeathOfTheAgent(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(file string) error{
		"with its state file": func(string) error { return nil },
		"with a broken one":   func(file string) error { return os.Truncate(file, 50) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newLab(t, versions...)
			p := r.launch(nil)
			sender := r.lab.Host("sender").Addr()
			r.join("v2", group) // an IGMPv1 host would take longer to answer than the intervals here are
			r.join("idle", group)
			r.join("v3", group, sender)
			r.awaitGroups("2 4", "2 3 4")
			eventually(t, func() bool { _, err := os.Stat(r.stateFile()); return err == nil }, 5*time.Second, 10*time.Millisecond)
			time.Sleep(saveEvery)
			taps := map[string]*ovslab.Receiver{}
			for _, h := range []string{"v1", "v2", "v3", "idle"} {
				taps[h] = r.tap(h, group)
			}
			const packets = 6000
			sent := make(chan error, 1)
			go func() { sent <- r.lab.Host("sender").Send(t.Context(), ovslab.Stream{To: group, Packets: packets}) }()
			_, err := taps["v3"].Await(within(t, 5*time.Second), 500)
			require.NoError(t, err)
			p.kill()
			require.NoError(t, spoil(r.stateFile()))
			age := r.youngest()
			p, started := r.launch(nil), time.Now()
			require.NoError(t, <-sent)
			require.Greater(t, time.Since(started), 3*time.Second, "hosts were asked, and what is not wanted is gone")

			for _, h := range []string{"v2", "v3", "idle"} {
				requireOnce(t, taps[h], packets)
			}
			require.Empty(t, taps["v1"].Arrivals())
			require.Greater(t, r.youngest(), age+3*time.Second, "flows that were right are not made again")
			require.NotContains(t, p.said.String(), "level=ERROR msg=memberships")
		})
	}
}

// Who has joined a moment before the death is on the switch only; who leaves while there is no agent is
// on the switch for some time yet.
func TestWhatHappensAroundTheDeathOfTheAgentIsFoundOut(t *testing.T) {
	t.Parallel()
	r := newLab(t, versions...)
	p := r.launch(nil)
	m := r.join("v2", other)
	r.awaitBuckets(other, 5*time.Second, "2")
	r.join("v3", group)
	eventually(t, func() bool { return len(r.bucketsOf(group)) == 1 }, 5*time.Second, time.Millisecond)
	p.kill()
	require.NoError(t, m.Leave())
	r.join("idle", group) // which nobody hears
	p = r.launch(nil)
	require.Equal(t, []string{"2"}, r.bucketsOf(other), "the stray is there until hosts have had the time to answer")
	require.Contains(t, r.bucketsOf(group), "3")
	r.awaitBuckets(group, 3*time.Second, "3", "4")
	r.awaitGone(other, 5*time.Second)
	p.await("that no host has confirmed end")
}

// A port with the number of another inherits nothing, neither from the file nor from the switch.
func TestAPortNumberThatChangedHandsWhileTheAgentWasDeadInheritsNothing(t *testing.T) {
	t.Parallel()
	r := newLab(t, versions...)
	p := r.launch(nil)
	r.join("v2", group)
	r.join("v3", group)
	r.awaitBuckets(group, 5*time.Second, "2", "3")
	time.Sleep(saveEvery)
	p.stop()
	_, err := r.lab.Vsctl(t.Context(), "del-port", r.lab.Bridge(), "v3", "--", "add-port", r.lab.Bridge(), "stranger",
		"--", "set", "interface", "stranger", "type=internal", "ofport_request=3")
	require.NoError(t, err)
	require.Equal(t, []string{"2", "3"}, r.bucketsOf(group), "the switch itself does not mind")
	p = r.launch(nil)
	r.awaitBuckets(group, time.Second, "2")
	require.Contains(t, p.said.String(), `from="state file" restored=1`)
}

// What an agent with other settings has left is taken away at the next start.
func TestWhatAnotherLayoutHasLeftIsTakenAway(t *testing.T) {
	t.Parallel()
	r := newLab(t, versions...)
	r.launch(nil).stop()
	plain := r.everything()
	p := r.launch(nil, "-vlan", "10", "-vlan", "20", "-packet-rate", "7")
	require.NotEqual(t, plain, r.everything())
	p.stop()
	r.launch(nil).stop()
	require.Equal(t, plain, r.everything())
}
