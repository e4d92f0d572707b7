package why_test

import (
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/agent/view"
	"github.com/ofmcast/ofmcast/examples/agent/why"
)

var (
	now = time.Date(2026, 3, 4, 5, 6, 7, 0, time.Local)
	s1  = netip.MustParseAddr("198.51.100.1")
	s2  = netip.MustParseAddr("198.51.100.2")
	g1  = netip.MustParseAddr("233.252.0.1")
)

// state has vm1, which wants all but s2, vm2, which wants s1, and vm3, which has left.
func state() view.State {
	s := view.State{At: now, Switch: view.Switch{Connected: true}}
	for i, name := range []string{"vm1", "vm2", "vm3"} {
		s.Ports = append(s.Ports, view.Port{Number: uint32(i + 1), Name: name, Role: "member", LastQuery: &now})
	}
	s.Ports = append(s.Ports, view.Port{Number: 100, Name: "gw0", Role: "gateway"}, view.Port{Number: 50, Name: "vx0", Role: "tunnel"},
		view.Port{Number: 9, Name: "up", Role: "router"})
	s.Groups = []view.Group{{
		Group: g1, Rows: []view.Row{{OpenFlow: 1000}, {Source: s1.String(), OpenFlow: 1001}, {Source: s2.String(), OpenFlow: 1002}},
		Members: []view.Member{
			{Port: 1, Mode: "EXCLUDE", IGMP: 3, Sources: []view.Source{{Addr: s2}}, Left: view.Seconds(time.Minute)},
			{Port: 2, Mode: "INCLUDE", IGMP: 3, Sources: []view.Source{{Addr: s1, Left: 9}}, Leaving: true, Unconfirmed: true},
		},
	}}
	s.Events = []view.Event{{At: now, Kind: "left", Group: g1.String(), Port: 3, Text: "INCLUDE{}"}}
	s.Routes = []view.Route{{Source: s1, Group: g1, In: "eth1", Out: []string{"gw0"}, Packets: 5}}
	return s
}

// all is a switch that has everything.
func all(uint32, uint32) (why.OnSwitch, error) {
	return why.OnSwitch{Flow: true, FlowPackets: 7, Group: true, Bucket: true, Packets: 7}, nil
}

func ask(t *testing.T, s view.State, read why.Reader, words string) (why.Answer, string) {
	t.Helper()
	q, err := why.Parse(strings.Fields(words))
	require.NoError(t, err)
	a := why.Explain(q, s, read)
	var text []string
	for _, step := range a.Steps {
		text = append(text, step.Text)
	}
	return a, strings.Join(text, "\n")
}

func TestWhatDecides(t *testing.T) {
	for words, want := range map[string]struct {
		receives bool
		because  string
	}{
		"233.252.0.1 vm1":              {true, "what is sent to 233.252.0.1 goes to the port"},
		"233.252.0.1 1":                {true, "what is sent to 233.252.0.1 goes to the port"},
		"233.252.0.1 198.51.100.9 vm1": {true, "what is sent to 233.252.0.1 goes to the port"},
		"233.252.0.1 198.51.100.2 vm1": {false, "the hosts behind the port do not want this source"},
		"233.252.0.1 198.51.100.1 vm2": {true, "what is sent to 233.252.0.1 goes to the port"},
		"233.252.0.1 198.51.100.9 vm2": {false, "the hosts behind the port do not want this source"},
		"233.252.0.1 vm2":              {false, "the port gets 233.252.0.1 from the named sources, and from no other"},
		"233.252.0.1 vm3":              {false, "no host behind the port has joined, or the agent has not heard it"},
		"233.252.0.1@10 vm1":           {false, "no host behind the port has joined, or the agent has not heard it"},
		"233.252.0.1 nobody":           {false, "there is no such port, or its settings cannot be served"},
		"233.252.0.1 gw0":              {true, "the gateway gets a copy of everything that is sent to a group"},
		"233.252.0.1 vx0":              {false, "no other node wants 233.252.0.1 from there"},
		"233.252.0.1 up":               {true, "a router port gets everything that is sent to a group"},
		"224.0.0.251 vm3":              {true, "groups in 224.0.0.0/24 go to every port"},
	} {
		a, _ := ask(t, state(), all, words)
		require.Equal(t, want.receives, a.Receives, words)
		require.Equal(t, want.because, a.Because, words)
	}
}

func TestATunnelCarriesWhatOtherNodesWant(t *testing.T) {
	s := state()
	s.Groups[0].Members = append(s.Groups[0].Members, view.Member{
		Name: "node 192.0.2.7", Owner: "remote", Mode: "INCLUDE", Sources: []view.Source{{Addr: s1, Left: 9}},
	})
	a, text := ask(t, s, all, "233.252.0.1 vx0")
	require.True(t, a.Receives)
	require.Contains(t, text, "node 192.0.2.7 wants only 198.51.100.1")
	a, _ = ask(t, s, all, "233.252.0.1 198.51.100.1 vx0")
	require.True(t, a.Receives)
	a, _ = ask(t, s, all, "233.252.0.1 198.51.100.2 vx0")
	require.False(t, a.Receives)
}

func TestTheRowOfTheSourceIsLookedAt(t *testing.T) {
	for words, id := range map[string]uint32{
		"233.252.0.1 vm1": 1000, "233.252.0.1 198.51.100.9 vm1": 1000, "233.252.0.1 198.51.100.1 vm1": 1001,
	} {
		var asked []uint32
		_, text := ask(t, state(), func(group, port uint32) (why.OnSwitch, error) {
			asked = append(asked, group, port)
			return all(group, port)
		}, words)
		require.Equal(t, []uint32{id, 1}, asked, words)
		require.Contains(t, text, "bucket of port 1: there, 7 packets")
	}
}

func TestWhatIsMissingOnTheSwitchIsNamed(t *testing.T) {
	s := state()
	s.Sinks = []view.Sink{{Name: "switch", Failing: 1, LastError: "table full"}}
	for missing, on := range map[string]why.OnSwitch{
		"flow of group 1000: missing, 0 packets": {Group: true, Bucket: true},
		"group 1000: missing":                    {Flow: true},
		"bucket of port 1: missing, 0 packets":   {Flow: true, Group: true},
	} {
		a, text := ask(t, s, func(uint32, uint32) (why.OnSwitch, error) { return on, nil }, "233.252.0.1 vm1")
		require.False(t, a.Receives)
		require.Contains(t, text, missing)
		require.Contains(t, text, "table full")
	}
	a, text := ask(t, s, func(uint32, uint32) (why.OnSwitch, error) { return why.OnSwitch{}, errors.New("no socket") }, "233.252.0.1 vm1")
	require.False(t, a.Receives)
	require.Contains(t, text, "no socket")
	s.Groups[0].Rows = nil
	a, _ = ask(t, s, all, "233.252.0.1 vm1")
	require.Equal(t, "the switch has not been told yet, or has refused it", a.Because)
}

func TestWhatIsKnownOfSomebodyWhoIsNoMemberIsSaid(t *testing.T) {
	s := state()
	s.Ports[2].Dropped = 5
	_, text := ask(t, s, all, "233.252.0.1 vm3")
	for _, want := range []string{
		"hosts there were last asked 0s ago", "one of them was last heard never",
		"5 IGMP packets from there were dropped", "05:06:07: left INCLUDE{}",
		"kernel route from 198.51.100.1: eth1 to gw0, 5 packets",
	} {
		require.Contains(t, text, want)
	}
}

func TestStatesOfPortAndMembershipAreSaid(t *testing.T) {
	_, text := ask(t, state(), all, "233.252.0.1 198.51.100.1 vm2")
	require.Contains(t, text, "somebody has left")
	require.Contains(t, text, "not confirmed yet")
	s := state()
	s.Ports[0].Down, s.Ports[1].Drained, s.Switch.Connected = true, true, false
	a, text := ask(t, s, all, "233.252.0.1 vm1")
	require.Equal(t, "the port's link is down", a.Because)
	require.Contains(t, text, "the switch is away")
	a, _ = ask(t, s, all, "233.252.0.1 vm2")
	require.Equal(t, "the port is drained", a.Because)
}

func TestQuestionsThatMakeNoSenseAreRefused(t *testing.T) {
	for _, words := range []string{
		"", "233.252.0.1", "vm1 233.252.0.1", "192.0.2.1 vm1", "ff02::1 vm1", "233.252.0.1@x vm1", "233.252.0.1@5000 vm1", "233.252.0.1@4095 vm1",
		"233.252.0.1 nobody vm1", "233.252.0.1 224.0.0.1 vm1", "233.252.0.1 198.51.100.1 vm1 more",
	} {
		_, err := why.Parse(strings.Fields(words))
		require.ErrorIs(t, err, why.ErrQuestion, words)
	}
}

func TestAStreamWithTTL1IsNamed(t *testing.T) {
	s := state()
	s.Warnings = []view.Warning{
		{Kind: view.WarnTTL, Text: "arrives with TTL 1", Source: s1, Group: g1},
		{Kind: view.WarnStream, Text: "of no interest here", Source: s1, Group: g1},
	}
	for words, named := range map[string]bool{
		"233.252.0.1 vm1":              true,
		"233.252.0.1 198.51.100.1 vm1": true,
		"233.252.0.1 198.51.100.9 vm1": false,
		"233.252.0.9 vm1":              false,
	} {
		_, text := ask(t, s, all, words)
		require.Equal(t, named, strings.Contains(text, "arrives with TTL 1"), words)
		require.NotContains(t, text, "of no interest")
	}
}
