package term_test

import (
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/agent/term"
	"github.com/ofmcast/ofmcast/examples/agent/view"
)

var (
	now = time.Date(2026, 3, 4, 5, 6, 7, 0, time.Local)
	s1  = netip.MustParseAddr("198.51.100.1")
	g1  = netip.MustParseAddr("233.252.0.1")
)

func example() view.State {
	asked := now.Add(-3 * time.Second)
	return view.State{
		At: now, Started: now.Add(-time.Hour), Bridge: "br0",
		Switch:  view.Switch{Connected: true, GroupMods: 5},
		Querier: view.Querier{Self: true, Interval: view.Seconds(125 * time.Second)},
		Totals:  view.Totals{Groups: 1, Members: 2, Reports: 9, Joins: 2, Denied: 1},
		Groups: []view.Group{{Group: g1, VLAN: 10, MembersOmitted: 7,
			Rows: []view.Row{{OpenFlow: 1000, PerSecond: 1234}, {Source: s1.String(), OpenFlow: 1001, PerSecond: 0.5}},
			Members: []view.Member{
				{Port: 1, Name: "vm1", Mode: "EXCLUDE", IGMP: 3, Left: view.Forever, Owner: "static config",
					Sources: []view.Source{{Addr: s1}, {Addr: s1.Next(), Left: view.Seconds(time.Minute)}}},
				{Port: 2, Name: "vm2", Mode: "INCLUDE", IGMP: 2, Left: view.Seconds(time.Minute), Age: view.Seconds(time.Hour), Leaving: true,
					Sources: []view.Source{{Addr: s1, Left: view.Seconds(time.Minute)}}},
			}}},
		Ports: []view.Port{
			{Number: 1, Name: "vm1", Role: "member", Groups: 1, IGMP: 3, LastQuery: &asked, Drained: true},
			{Number: 2, Name: "vm2", Role: "member", VLANs: "10", V2: view.Seconds(9 * time.Second), Denied: 1,
				Hosts: []view.Host{{Addr: s1}, {Addr: s1}, {Addr: s1}, {Addr: s1}, {Addr: s1}}},
		},
		Routes:   []view.Route{{Source: s1, Group: g1, In: "eth1", Packets: 77}},
		Sinks:    []view.Sink{{Name: "switch", Syncs: 4, Errors: 1, LastError: "no room", LastErrorAt: &asked, Longest: view.Seconds(1500 * time.Microsecond)}},
		Events:   []view.Event{{At: now, Kind: "joined", Group: g1.String(), Port: 1, Name: "vm1", Text: "EXCLUDE{}"}},
		Warnings: []view.Warning{{Kind: view.WarnTTL, Text: "a stream has TTL 1"}},
	}
}

// squeezed is a text whose cells are one space apart.
func squeezed(s string) string {
	var lines []string
	for line := range strings.Lines(s) {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	return strings.Join(lines, "\n")
}

func print(t *testing.T, s view.State) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, term.Write(&b, s))
	return b.String()
}

func TestTheTablesSayWhatThePageSays(t *testing.T) {
	require.Equal(t, `br0: switch connected, we ask hosts every 2m5s, running for 1h0m0s
1 groups, 2 members; 9 reports, 2 joins, 0 leaves, 0 expired, 1 denied, 0 refused; 5 GROUP_MODs
! ttl: a stream has TTL 1

GROUPS
GROUP PACKETS/S OPENFLOW MEMBER FILTER IGMP AGE LEFT
233.252.0.1 VLAN 10 1234 0.5 1000 198.51.100.1:1001 vm1 (1) EXCLUDE{198.51.100.1} 3 0s forever static config
vm2 (2) INCLUDE{198.51.100.1} 2 1h0m0s 1m0s leaving
and 7 more

PORTS
PORT ROLE VLANS GROUPS IGMP V1 V2 HOSTS ASKED ANSWERED DENIED DROPPED
vm1 (1) member - 1 3 - - - 3s ago never 0 0 drained
vm2 (2) member 10 0 - - 9s 198.51.100.1 198.51.100.1 198.51.100.1 +2 never never 1 0

KERNEL ROUTES
SOURCE GROUP FROM TO PACKETS/S PACKETS WRONG WAY IDLE
198.51.100.1 233.252.0.1 eth1 nobody 0 77 0 0s

SINKS
SINK TO DO REFUSED CALLS ERRORS RETRIES LONGEST LAST ERROR
switch 0 0 4 1 0 1.5 ms 3s ago: no room

EVENTS
05:06:07 joined 233.252.0.1 vm1 (1) EXCLUDE{}`, squeezed(print(t, example())))
}

func TestAnotherNodeHasNoNumber(t *testing.T) {
	s := example()
	s.Groups[0].Members[0].Port, s.Groups[0].Members[0].Name = 0, "node 192.0.2.7"
	s.Events[0].Port, s.Events[0].Name = 0, "node 192.0.2.7"
	out := print(t, s)
	require.Equal(t, 2, strings.Count(out, "node 192.0.2.7  "))
	require.NotContains(t, out, "(0)")
}

func TestNamesNeitherMoveTheCursorNorTheColumns(t *testing.T) {
	s := example()
	s.Bridge, s.Warnings[0].Text = "\x1b[2Jbr\r\n0", "\u202egnp\u200b.exe"
	s.Ports[0].Name, s.Sinks[0].LastError, s.Events[0].Text = "a\tb", "\x07\x9b1m", "\xff"
	out := print(t, s)
	for _, c := range []string{"\x1b", "\r", "\t", "\x07", "\u009b", "\u202e", "\u200b", "\ufffd"} {
		require.NotContains(t, out, c, "%q", c)
	}
	require.Contains(t, out, `\x1b[2Jbr\r\n0: switch`)
	require.Contains(t, out, `\u202egnp\u200b.exe`)
	require.Contains(t, out, `a\tb (1)`)
	require.Equal(t, strings.Count(print(t, example()), "\n"), strings.Count(out, "\n"))
	require.Equal(t, "größer 组 ok", term.Safe("größer 组 ok"), "other alphabets are welcome")
}

type broken struct{}

var errBroken = errors.New("broken")

func (broken) Write([]byte) (int, error) { return 0, errBroken }

func TestABrokenTerminalIsTold(t *testing.T) {
	require.ErrorIs(t, term.Write(broken{}, example()), errBroken)
}
