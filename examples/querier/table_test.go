package main

import (
	"bytes"
	"encoding/json"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/internal/screen"
	"github.com/ofmcast/ofmcast/igmp"
)

// busy is a monitor after a minute and a half with some members.
func busy(t *testing.T) *rig {
	r := newRig(t)
	r.says(time.Second, 1, join(group))
	r.says(2*time.Second, 2, &igmp.ReportV2{Group: group})
	r.says(60*time.Second, 3, &igmp.ReportV3{Records: []igmp.Record{
		{Type: igmp.Allow, Group: netip.MustParseAddr("232.1.1.1"), Sources: []netip.Addr{netip.MustParseAddr("198.51.100.1")}},
		{Type: igmp.ToEx, Group: netip.MustParseAddr("239.255.255.255"), Sources: []netip.Addr{netip.MustParseAddr("198.51.100.2")}},
	}})
	r.says(89*time.Second, 2, &igmp.Leave{Group: group})
	r.until(90 * time.Second)
	return r
}

func TestTheTable(t *testing.T) {
	r := busy(t)
	tab := table{iface: "eth0", version: 3}
	require.Equal(t, strings.TrimPrefix(`
eth0  querier as 192.0.2.9 · next query in 1m06s · IGMPv3 every 2m5s
3 groups, 3 hosts, 4 memberships · 4 queries sent · 5 records taken

GROUP            HOST             IGMP       AGE      LEFT  FILTER
232.1.1.1        192.0.2.3        v3         30s     4m00s  INCLUDE{198.51.100.1}
239.1.1.1        192.0.2.1        v3       1m29s     3m01s  EXCLUDE{}
                 192.0.2.2        v2       1m28s        1s  EXCLUDE{}
239.255.255.255  192.0.2.3        v3         30s     4m00s  EXCLUDE{198.51.100.2}`, "\n"),
		strings.Join(tab.lines(r.snapshot(), true, nil), "\n"))

	require.Equal(t, "eth0  the interface is down", tab.lines(r.snapshot(), false, nil)[0])
	require.Equal(t, "eth0  waiting for an IPv4 address", tab.lines(snapshot{}, true, nil)[0])
	require.Equal(t, "nobody has joined a group", tab.lines(snapshot{}, true, nil)[4])
	require.Equal(t, "eth0  listening 192.0.2.1 is the querier · we take over in 4m15s unless it asks",
		tab.lines(snapshot{Elected: netip.MustParseAddr("192.0.2.1"), due: 255 * time.Second}, true, nil)[0])
	require.Equal(t, "0 groups, 0 hosts, 0 memberships · 1 query sent, 2 failed · 1 record taken, 3 refused",
		tab.lines(snapshot{Sent: 1, Failed: 2, Reports: 1, Refused: 3}, true, nil)[1])
}

func TestTheTableFitsTheTerminal(t *testing.T) {
	r := busy(t)
	for height := 5; height < 30; height++ {
		for _, width := range []int{1, 10, 40, 80} {
			tab := table{iface: "eth0", version: 3, width: width, height: height, paint: true}
			lines := tab.lines(r.snapshot(), true, r.events)
			require.LessOrEqual(t, len(lines), height)
			for _, l := range lines {
				require.LessOrEqual(t, screen.Visible(l), width, l)
				require.Equal(t, strings.Count(l, "\x1b[0m"), strings.Count(l, "\x1b[")-strings.Count(l, "\x1b[0m"), "colours end: %q", l)
			}
		}
	}
	tab := table{width: 80, height: 6}
	require.Equal(t, "… 3 more", tab.lines(r.snapshot(), true, nil)[5])
	tab.height = 11
	require.Equal(t, []string{"", "RECENTLY"}, tab.lines(r.snapshot(), true, r.events)[8:10])
}

// What a program reads.
func TestObjects(t *testing.T) {
	r := busy(t)
	var out bytes.Buffer
	v := newView(r.opts, &out, nil, false)
	require.IsType(t, &changes{}, v)
	r.opts.json = true
	v = newView(r.opts, &out, nil, false)
	require.NoError(t, v.show(r.monitor, r.events))
	require.NoError(t, v.finish(r.monitor))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 7)
	require.JSONEq(t, `{"time": "2026-05-06T07:08:09.000000Z", "event": "interface", "up": true}`, lines[0])
	require.JSONEq(t, `{"time": "2026-05-06T07:08:09.000000Z", "event": "querier", "querier": true, "elected": "192.0.2.9"}`, lines[1])
	require.JSONEq(t, `{"time": "2026-05-06T07:08:10.000000Z", "event": "joined", "group": "239.1.1.1", "host": "192.0.2.1",
		"mac": "02:01:00:00:00:00", "version": 3, "mode": "EXCLUDE", "sources": []}`, lines[2])
	require.JSONEq(t, `{"time": "2026-05-06T07:09:39.000000Z", "event": "table", "querier": true, "elected": "192.0.2.9", "groups": [
		{"group": "232.1.1.1", "members": [{"host": "192.0.2.3", "mac": "02:03:00:00:00:00", "version": 3, "mode": "INCLUDE",
			"sources": ["198.51.100.1"], "age_s": 30, "left_s": 240, "leaving": false}]},
		{"group": "239.1.1.1", "members": [
			{"host": "192.0.2.1", "mac": "02:01:00:00:00:00", "version": 3, "mode": "EXCLUDE", "sources": [], "age_s": 89, "left_s": 181, "leaving": false},
			{"host": "192.0.2.2", "mac": "02:02:00:00:00:00", "version": 2, "mode": "EXCLUDE", "sources": [], "age_s": 88, "left_s": 1, "leaving": true}]},
		{"group": "239.255.255.255", "members": [{"host": "192.0.2.3", "mac": "02:03:00:00:00:00", "version": 3, "mode": "EXCLUDE",
			"sources": ["198.51.100.2"], "age_s": 30, "left_s": 240, "leaving": false}]}
		], "sent": 4, "failed": 0, "reports": 5, "refused": 0}`, lines[6])
	for _, l := range lines {
		require.True(t, json.Valid([]byte(l)))
	}
}

func TestTheLiveTable(t *testing.T) {
	r := busy(t)
	var out bytes.Buffer
	v := newView(r.opts, &out, func() (int, int) { return 80, 24 }, false)
	require.NoError(t, v.show(r.monitor, r.events))
	require.Contains(t, out.String(), "eth0  querier")
	require.Contains(t, out.String(), "RECENTLY")
	out.Reset()
	require.NoError(t, v.finish(r.monitor))
	require.Contains(t, out.String(), "eth0  querier")
	require.NotContains(t, out.String(), "RECENTLY")
}

func TestLines(t *testing.T) {
	r := busy(t)
	r.started()
	var out bytes.Buffer
	v := newView(r.opts, &out, nil, true)
	require.NoError(t, v.show(r.monitor, r.events))
	require.NoError(t, v.finish(r.monitor))
	require.True(t, strings.HasPrefix(out.String(), strings.TrimPrefix(`
07:08:09  interface   up
07:08:09  querier     we are, as 192.0.2.9
07:08:10  joined      239.1.1.1        192.0.2.1        v3  EXCLUDE{}
07:08:11  joined      239.1.1.1        192.0.2.2        v2  EXCLUDE{}
07:09:09  joined      232.1.1.1        192.0.2.3        v3  INCLUDE{198.51.100.1}
07:09:09  joined      239.255.255.255  192.0.2.3        v3  EXCLUDE{198.51.100.2}
07:09:39  started     on eth0, IGMPv3 every 2m5s

eth0  querier as`, "\n")), out.String())
}
