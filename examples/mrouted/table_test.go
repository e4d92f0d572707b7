package main

import (
	"bytes"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/internal/screen"
	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/igmp/igmpconn"
	"github.com/ofmcast/ofmcast/mroute"
)

// busy is a proxy after a minute and a half with some members.
func busy(t *testing.T) *rig {
	r := newRig(t)
	r.says(time.Second, 0, 1, record(igmp.ToEx, group))
	r.says(60*time.Second, 1, 3, record(igmp.Allow, single, s1))
	r.says(61*time.Second, 1, 3, &igmp.ReportV2{Group: group})
	r.says(89*time.Second, 1, 3, &igmp.Leave{Group: group})
	r.until(90 * time.Second)
	return r
}

func (r *rig) picture() snapshot {
	s := r.snapshot([]routeRow{
		{Source: s1, Group: group, In: "out0", Out: []string{"in1", "in2"}, Packets: 123456, Rate: 999.7},
		{Source: s2, Group: single, In: "out0", Out: []string{}, Packets: 7, WrongIf: 1},
	}, 2)
	s.Interfaces = append(s.Interfaces, interfaceRow{Interface: "out0", Outside: true, Up: true}, interfaceRow{Interface: "out1", Outside: true})
	return s
}

func TestTheTable(t *testing.T) {
	r := busy(t)
	var tab table
	require.Equal(t, strings.TrimPrefix(`
in1  querier as 192.0.1.9
in2  querier as 192.0.2.9
out0  outside
out1  down, or not there
2 groups, 3 members · 2 joins outside · 2 streams · 6 queries sent · 4 records taken

GROUP            INSIDE                AGE      LEFT  WANTED
232.1.1.1        in2                   30s     4m00s  INCLUDE{198.51.100.1}
239.1.1.1        in1                 1m29s     3m01s  EXCLUDE{}
                 in2                   29s        1s  EXCLUDE{}

SOURCE           GROUP                 PACKETS  PACKETS/S  WAY
198.51.100.1     239.1.1.1              123456       1000  out0 → in1 in2
198.51.100.2     232.1.1.1                   7          0  out0 → nowhere`, "\n"),
		strings.Join(tab.lines(r.picture(), nil), "\n"))

	require.Equal(t, []string{
		"a  waiting for an IPv4 address", "b  listening 192.0.2.1 is the querier, and forwards",
		"0 groups, 0 members · 1 join outside · 0 streams · 1 query sent, 2 failed · 1 record taken, 3 refused", "no",
	}, tab.head(snapshot{
		Interfaces: []interfaceRow{{Interface: "a", Up: true}, {Interface: "b", Up: true, Elected: netip.MustParseAddr("192.0.2.1")}},
		Joins:      1, Sent: 1, Failed: 2, Reports: 1, Refused: 3, failing: errors.New("no"),
	}))
	empty := strings.Join(tab.lines(snapshot{}, nil), "\n")
	require.Contains(t, empty, "nobody inside has joined a group")
	require.Contains(t, empty, "no streams")
}

func TestTheTableFitsTheTerminal(t *testing.T) {
	r := busy(t)
	for height := 1; height < 30; height++ {
		for _, width := range []int{1, 10, 40, 80} {
			tab := table{width: width, height: height, paint: true}
			lines := tab.lines(r.picture(), r.events)
			require.LessOrEqual(t, len(lines), height)
			for _, l := range lines {
				require.LessOrEqual(t, screen.Visible(l), width, l)
				require.Equal(t, strings.Count(l, "\x1b[0m"), strings.Count(l, "\x1b[")-strings.Count(l, "\x1b[0m"), "colours end: %q", l)
			}
		}
	}
	tab := table{width: 80, height: 12}
	lines := tab.lines(r.picture(), r.events)
	require.Equal(t, []string{"… 2 more", "", "… 2 more"}, []string{lines[8], lines[9], lines[11]}, "%q", lines)
	tab.height = 20
	require.Equal(t, []string{"", "RECENTLY"}, tab.lines(r.picture(), r.events)[14:16])
}

// What a program reads.
func TestObjects(t *testing.T) {
	r := busy(t)
	r.started(253)
	yes := mroute.Finding{Problem: mroute.ProblemTTL, Interface: "out0", Source: s1, Group: group, Blocks: true, Detail: "d", Remedy: "r"}
	r.found(yes)
	var out bytes.Buffer
	v := newView(options{json: true}, &out, func() (int, int) { return 80, 24 }, true)
	require.False(t, v.live())
	require.NoError(t, v.show(r.events, nil))
	require.NoError(t, v.finish(r.picture()))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 10)
	require.JSONEq(t, `{"time": "2026-05-06T07:08:09.000000Z", "event": "interface", "interface": "in1", "up": true}`, lines[0])
	require.JSONEq(t, `{"time": "2026-05-06T07:08:09.000000Z", "event": "querier", "interface": "in1", "querier": true, "elected": "192.0.1.9"}`, lines[1])
	require.JSONEq(t, `{"time": "2026-05-06T07:08:10.000000Z", "event": "joined", "group": "239.1.1.1", "interface": "in1",
		"mode": "EXCLUDE", "sources": []}`, lines[4])
	require.JSONEq(t, `{"time": "2026-05-06T07:09:39.000000Z", "event": "started", "inside": ["in1", "in2"], "outside": ["out0", "out1"],
		"table": 253, "version": 3, "interval_s": 125, "response_s": 10}`, lines[7])
	require.JSONEq(t, `{"time": "2026-05-06T07:09:39.000000Z", "event": "finding", "problem": "ttl", "interface": "out0",
		"source": "198.51.100.1", "group": "239.1.1.1", "blocks": true, "detail": "d", "remedy": "r"}`, lines[8])
	require.JSONEq(t, `{"time": "2026-05-06T07:09:39.000000Z", "event": "table", "interfaces": [
			{"interface": "in1", "outside": false, "up": true, "querier": true, "elected": "192.0.1.9"},
			{"interface": "in2", "outside": false, "up": true, "querier": true, "elected": "192.0.2.9"},
			{"interface": "out0", "outside": true, "up": true, "querier": false}, {"interface": "out1", "outside": true, "up": false, "querier": false}
		], "groups": [
			{"group": "232.1.1.1", "mode": "INCLUDE", "sources": ["198.51.100.1"], "members": [
				{"interface": "in2", "mode": "INCLUDE", "sources": ["198.51.100.1"], "age_s": 30, "left_s": 240, "leaving": false}]},
			{"group": "239.1.1.1", "mode": "EXCLUDE", "sources": [], "members": [
				{"interface": "in1", "mode": "EXCLUDE", "sources": [], "age_s": 89, "left_s": 181, "leaving": false},
				{"interface": "in2", "mode": "EXCLUDE", "sources": [], "age_s": 29, "left_s": 1, "leaving": true}]}
		], "routes": [
			{"source": "198.51.100.1", "group": "239.1.1.1", "in": "out0", "out": ["in1", "in2"], "packets": 123456, "rate": 999.7, "wrong_if": 0},
			{"source": "198.51.100.2", "group": "232.1.1.1", "in": "out0", "out": [], "packets": 7, "rate": 0, "wrong_if": 1}
		], "joins": 2, "sent": 6, "failed": 0, "reports": 4, "refused": 0}`, lines[9])
}

func TestLines(t *testing.T) {
	r := busy(t)
	r.started(253)
	r.found(mroute.Finding{Problem: mroute.ProblemForwarding, Detail: "ip_forward is 0", Remedy: "set it"})
	r.found(mroute.Finding{Problem: mroute.ProblemTTL, Interface: "out0", Source: s1, Group: group, Detail: "1", Remedy: "more"})
	r.note(event{Event: "route", Source: s1, Group: group, In: "out0", Out: []string{"in1", "in2"}})
	r.note(event{Event: "route", Source: s1, Group: group, In: "out0", Out: []string{}})
	r.note(event{Event: "unrouted", Source: s1, Group: group})
	r.says(90*time.Second, 0, 5, &igmp.Query{Version: 3, Group: netip.IPv4Unspecified(), MaxResp: 10 * time.Second})
	r.detach(r.inside[0])
	r.see(r.inside[0], igmpconn.Link{})
	var out bytes.Buffer
	v := newView(options{}, &out, nil, true)
	require.False(t, v.live())
	require.NoError(t, v.show(r.events, nil))
	require.NoError(t, v.finish(r.picture()))
	require.Equal(t, strings.TrimPrefix(`
07:08:09  interface   in1              up
07:08:09  querier     in1              we are, as 192.0.1.9
07:08:09  interface   in2              up
07:08:09  querier     in2              we are, as 192.0.2.9
07:08:10  joined      239.1.1.1        in1              EXCLUDE{}
07:09:09  joined      232.1.1.1        in2              INCLUDE{198.51.100.1}
07:09:10  joined      239.1.1.1        in2              EXCLUDE{}
07:09:39  started     inside in1 in2, outside out0 out1, table 253
07:09:39  finding     forwarding: ip_forward is 0; set it
07:09:39  finding     out0 198.51.100.1 239.1.1.1 ttl: 1; more
07:09:39  route       198.51.100.1     239.1.1.1        out0 → in1 in2
07:09:39  route       198.51.100.1     239.1.1.1        out0 → nowhere
07:09:39  unrouted    198.51.100.1     239.1.1.1
07:09:39  querier     in1              192.0.1.5 is, and forwards
07:09:39  querier     in1              nobody is
07:09:39  interface   in1              down
`, "\n"), out.String()[:strings.Index(out.String(), "\n\n")+1])
	require.Contains(t, out.String(), "\n\nin1  down, or not there\n")
}

// At the end the table stays, with what a check found.
func TestTheLiveTable(t *testing.T) {
	r := busy(t)
	r.found(mroute.Finding{Problem: mroute.ProblemForwarding, Detail: "ip_forward is 0", Remedy: "set it"})
	var out bytes.Buffer
	v := newView(options{}, &out, func() (int, int) { return 80, 24 }, false)
	require.True(t, v.live())
	require.NoError(t, v.show(r.events, r.picture))
	require.Contains(t, out.String(), "in1  querier")
	require.Contains(t, out.String(), "RECENTLY")
	require.NoError(t, v.show(nil, r.picture))
	out.Reset()
	require.NoError(t, v.finish(r.picture()))
	require.Contains(t, out.String(), "in1  querier")
	require.NotContains(t, out.String(), "RECENTLY")
	require.Contains(t, out.String(), "forwarding: ip_forward is 0; set it")
}
