package metrics

import "github.com/prometheus/client_golang/prometheus"

// metric is a name with its meaning.
type metric struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
}

func gauge(name, help string, labels ...string) metric {
	return metric{prometheus.NewDesc("ofmcast_"+name, help, labels, nil), prometheus.GaugeValue}
}

func counter(name, help string, labels ...string) metric {
	return metric{prometheus.NewDesc("ofmcast_"+name, help, labels, nil), prometheus.CounterValue}
}

var (
	groups      = gauge("groups", "Groups that have members, or that a sink has still to take away.")
	members     = gauge("members", "Members over all groups.")
	memberships = gauge("memberships", "Memberships, those of different owners counted apart.")
	unconfirmed = gauge("unconfirmed_memberships", "Memberships of an earlier agent that no host has confirmed yet.")
	sources     = gauge("sources", "Sources that members name.")
	changes     = counter("membership_changes_total", "Changes of members: join, leave, expire, remove, refilter.", "change")
	reports     = counter("reports_total", "Records of reports: taken, ignored_older_host, or refused as invalid, over a limit, or of a removed member.", "result")
	specific    = counter("member_queries_total", "Specific queries that leaves have called for.")
	specificErr = counter("member_query_errors_total", "Those of them that could not be sent.")

	sinkPending = gauge("sink_pending_groups", "Groups that the sink has still to be told about.", "sink")
	sinkFailing = gauge("sink_failing_groups", "Groups that the sink has refused, and that are tried again.", "sink")
	sinkSyncs   = counter("sink_syncs_total", "Calls of the sink that have ended.", "sink")
	sinkErrors  = counter("sink_errors_total", "Calls of the sink that have failed.", "sink")
	sinkRetries = counter("sink_retries_total", "Calls that were made because the one before had failed.", "sink")
	sinkSeconds = counter("sink_busy_seconds_total", "Time spent in calls of the sink.", "sink")

	switchUp  = gauge("switch_connected", "1 while the switch is connected.")
	connects  = counter("switch_connections_total", "Connections that came about.")
	attempts  = counter("switch_connection_attempts_total", "Connections that were tried.")
	groupMods = counter("group_mods_total", "GROUP_MODs that memberships have caused.")
	events    = counter("switch_events_total", "Packets and news of the switch that were handled.")
	dropped   = counter("packet_ins_dropped_total", "IGMP packets that were not read: the queue was full, or the port over its rate.", "reason")
	ports     = gauge("ports", "Ports of the bridge.", "role")

	querying = gauge("querier", "1 while we are the querier.")
	queries  = counter("queries_sent_total", "Queries that were made.", "type")
	frames   = counter("igmp_frames_total", "Frames from ports, by what became of them.", "verdict")
	records  = counter("igmp_records_total", "Records of reports, by what became of them.", "verdict")

	routes  = gauge("routes", "Streams in the kernel's routing: those that leave somewhere, those that nobody wants, those that the kernel refused.", "state")
	upcalls = counter("router_upcalls_total", "Questions of the kernel.", "kind")
	moves   = counter("router_moves_total", "Streams that came to arrive at another interface.")
	stale   = counter("router_stale_total", "Routes removed for want of packets.")
	lost    = counter("router_lost_total", "Routes that the kernel had lost, and has again.")
	failed  = counter("router_failures_total", "Calls that the kernel refused.")
)

// all are those above.
var all = []metric{
	groups, members, memberships, unconfirmed, sources, changes, reports, specific, specificErr,
	sinkPending, sinkFailing, sinkSyncs, sinkErrors, sinkRetries, sinkSeconds,
	switchUp, connects, attempts, groupMods, events, dropped, ports,
	querying, queries, frames, records,
	routes, upcalls, moves, stale, lost, failed,
}
