package metrics_test

import (
	"context"
	"net/http/httptest"
	"net/netip"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/agent/members"
	"github.com/ofmcast/ofmcast/examples/agent/metrics"
	"github.com/ofmcast/ofmcast/examples/agent/view"
	"github.com/ofmcast/ofmcast/igmp/querier"
	"github.com/ofmcast/ofmcast/igmp/snooper"
	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/mroute"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

type fakeSwitch struct{}

func (fakeSwitch) Stats() ofconn.ConnStats           { return ofconn.ConnStats{Attempts: 7, Connected: 2} }
func (fakeSwitch) Session() (*ofconn.Session, error) { return nil, ofgroup.ErrDisconnected }
func (fakeSwitch) EventStats() ofconn.EventStats {
	return ofconn.EventStats{Delivered: 100, Dropped: 3, Limited: 4}
}

// sources are those of an agent with so many members, each in a group of its own, from a host of its own.
func sources(t *testing.T, n int) view.Sources {
	t.Helper()
	cache := mcast.New(mcast.Config[members.Member]{})
	now := time.Now()
	cache.Advance(now)
	addr := netip.MustParseAddr("233.252.0.1")
	for p := range ofgroup.Port(n) {
		require.NoError(t, cache.Apply(mcast.Join(mcast.Group{Addr: addr}, members.Port(p+1), now)))
		addr = addr.Next()
	}
	require.Error(t, cache.Apply(mcast.Report[members.Member]{}))
	_, err := cache.AddSink("switch", mcast.SyncFunc[members.Member](func(context.Context, mcast.State[members.Member]) error { return nil }), mcast.SinkConfig{})
	require.NoError(t, err)
	require.NoError(t, cache.Flush(t.Context()))
	return view.Sources{
		Cache: cache, Switch: fakeSwitch{}, GroupMods: func() uint64 { return 12 },
		Ports: func() []view.PortInfo {
			ports := []view.PortInfo{{Number: 9999, Role: "gateway"}}
			for p := range n {
				ports = append(ports, view.PortInfo{Number: ofgroup.Port(p), Name: `x"} 1`, Role: "member"})
			}
			return ports
		},
		Querier: func() (querier.State, querier.Counters) {
			return querier.State{Querier: true}, querier.Counters{GeneralQueries: 5, SpecificQueries: 6}
		},
		Snooper: func() (n snooper.Counters) {
			n.Frames[snooper.AcceptedReport], n.Records[snooper.IgnoredByValidator] = 40, 2
			return n
		},
		Routes: func(context.Context) (mroute.Status, error) {
			return mroute.Status{Entries: []mroute.Entry{{Out: []string{"a"}}, {}, {}, {Pending: true}}, Stats: mroute.RouterStats{NoCache: 8}}, nil
		},
	}
}

func TestNamesFollowTheConventions(t *testing.T) {
	problems, err := testutil.CollectAndLint(metrics.New(sources(t, 3)))
	require.NoError(t, err)
	require.Equal(t, []promlint.Problem(nil), problems)
}

func TestWhatIsCountedIsWhatThePartsCount(t *testing.T) {
	const want = `
# HELP ofmcast_group_mods_total GROUP_MODs that memberships have caused.
# TYPE ofmcast_group_mods_total counter
ofmcast_group_mods_total 12
# HELP ofmcast_groups Groups that have members, or that a sink has still to take away.
# TYPE ofmcast_groups gauge
ofmcast_groups 3
# HELP ofmcast_igmp_frames_total Frames from ports, by what became of them.
# TYPE ofmcast_igmp_frames_total counter
ofmcast_igmp_frames_total{verdict="accepted report"} 40
# HELP ofmcast_igmp_records_total Records of reports, by what became of them.
# TYPE ofmcast_igmp_records_total counter
ofmcast_igmp_records_total{verdict="ignored: not allowed"} 2
# HELP ofmcast_membership_changes_total Changes of members: join, leave, expire, remove, refilter.
# TYPE ofmcast_membership_changes_total counter
ofmcast_membership_changes_total{change="expire"} 0
ofmcast_membership_changes_total{change="join"} 3
ofmcast_membership_changes_total{change="leave"} 0
ofmcast_membership_changes_total{change="refilter"} 0
ofmcast_membership_changes_total{change="remove"} 0
# HELP ofmcast_packet_ins_dropped_total IGMP packets that were not read: the queue was full, or the port over its rate.
# TYPE ofmcast_packet_ins_dropped_total counter
ofmcast_packet_ins_dropped_total{reason="queue"} 3
ofmcast_packet_ins_dropped_total{reason="rate"} 4
# HELP ofmcast_ports Ports of the bridge.
# TYPE ofmcast_ports gauge
ofmcast_ports{role="gateway"} 1
ofmcast_ports{role="member"} 3
# HELP ofmcast_queries_sent_total Queries that were made.
# TYPE ofmcast_queries_sent_total counter
ofmcast_queries_sent_total{type="general"} 5
ofmcast_queries_sent_total{type="specific"} 6
# HELP ofmcast_reports_total Records of reports: taken, ignored_older_host, or refused as invalid, over a limit, or of a removed member.
# TYPE ofmcast_reports_total counter
ofmcast_reports_total{result="ignored_older_host"} 0
ofmcast_reports_total{result="invalid"} 1
ofmcast_reports_total{result="limit"} 0
ofmcast_reports_total{result="removed"} 0
ofmcast_reports_total{result="taken"} 3
# HELP ofmcast_routes Streams in the kernel's routing: those that leave somewhere, those that nobody wants, those that the kernel refused.
# TYPE ofmcast_routes gauge
ofmcast_routes{state="forwarding"} 1
ofmcast_routes{state="refused"} 1
ofmcast_routes{state="unwanted"} 2
# HELP ofmcast_sink_syncs_total Calls of the sink that have ended.
# TYPE ofmcast_sink_syncs_total counter
ofmcast_sink_syncs_total{sink="switch"} 3
# HELP ofmcast_switch_connected 1 while the switch is connected.
# TYPE ofmcast_switch_connected gauge
ofmcast_switch_connected 0
`
	names := []string{}
	for line := range strings.Lines(want) {
		if fields := strings.Fields(line); len(fields) > 2 && fields[1] == "TYPE" {
			names = append(names, fields[2])
		}
	}
	require.NoError(t, testutil.CollectAndCompare(metrics.New(sources(t, 3)), strings.NewReader(want), names...))
}

func TestTheOperatorsPageNamesEveryMetric(t *testing.T) {
	page, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	descs := make(chan *prometheus.Desc)
	go func() {
		defer close(descs)
		metrics.New(sources(t, 1)).Describe(descs)
	}()
	var names []string
	for d := range descs {
		names = append(names, regexp.MustCompile(`fqName: "([^"]+)"`).FindStringSubmatch(d.String())[1])
	}
	require.NotEmpty(t, names)
	require.ElementsMatch(t, names, namedIn(string(page), names))
}

// namedIn are the metrics in the tables of a page. Of a row's names only the first is whole: the others
// have what is before their own part in common with it.
func namedIn(page string, names []string) (found []string) {
	for line := range strings.Lines(page) {
		cell, ok := strings.CutPrefix(line, "| `ofmcast_")
		if !ok {
			continue
		}
		cell, _, _ = strings.Cut("`ofmcast_"+cell, " | ")
		first := ""
		for _, m := range regexp.MustCompile("`([a-z_]+)").FindAllStringSubmatch(cell, -1) {
			name := m[1]
			if first == "" {
				first = name
			}
			for end := len(first); end > 0 && !slices.Contains(names, name); end-- {
				if first[end-1] != '_' {
					continue
				}
				if whole := first[:end-1] + m[1]; slices.Contains(names, whole) {
					name = whole
				}
			}
			found = append(found, name)
		}
	}
	return found
}

func TestStrangersMakeNoSeries(t *testing.T) {
	few := testutil.CollectAndCount(metrics.New(sources(t, 1)))
	require.Equal(t, few, testutil.CollectAndCount(metrics.New(sources(t, 3000))))
	require.Less(t, few, 80)
}

func TestAnAgentWithoutPartsHasMetricsToo(t *testing.T) {
	w := httptest.NewRecorder()
	metrics.Handler(view.Sources{Cache: mcast.New(mcast.Config[members.Member]{})}).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	require.Equal(t, 200, w.Code)
	require.Contains(t, w.Body.String(), "ofmcast_groups 0\n")
	require.Contains(t, w.Body.String(), "go_goroutines")
}
