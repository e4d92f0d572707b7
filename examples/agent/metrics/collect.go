package metrics

import (
	"context"
	"time"

	"github.com/ofmcast/ofmcast/igmp/snooper"
)

func (c collector) memberships(out sender) {
	s := c.src.Cache.Statistics()
	out.put(groups, float64(s.Groups))
	out.put(members, float64(s.Members))
	out.put(memberships, float64(s.Memberships))
	out.put(unconfirmed, float64(s.Unconfirmed))
	out.put(sources, float64(s.Sources))
	for label, n := range map[string]uint64{
		"join": s.Joins, "leave": s.Leaves, "expire": s.Expiries, "remove": s.Removals, "refilter": s.Refilters,
	} {
		out.count(changes, n, label)
	}
	refused := s.RefusedInvalid + s.RefusedLimit + s.RefusedRemoved
	for label, n := range map[string]uint64{
		"taken": s.Reports - refused - s.IgnoredOlderHost, "ignored_older_host": s.IgnoredOlderHost,
		"invalid": s.RefusedInvalid, "limit": s.RefusedLimit, "removed": s.RefusedRemoved,
	} {
		out.count(reports, n, label)
	}
	out.count(specific, s.Queries)
	out.count(specificErr, s.QueryErrors)
}

func (c collector) sinks(out sender) {
	for _, k := range c.src.Cache.Statistics().Sinks {
		out.put(sinkPending, float64(k.Pending), k.Name)
		out.put(sinkFailing, float64(k.Failing), k.Name)
		out.count(sinkSyncs, k.Syncs+k.Prunes, k.Name)
		out.count(sinkErrors, k.Errors+k.PruneErrors, k.Name)
		out.count(sinkRetries, k.Retries, k.Name)
		out.put(sinkSeconds, k.TotalDuration.Seconds(), k.Name)
	}
}

func (c collector) theSwitch(out sender) {
	if c.src.GroupMods != nil {
		out.count(groupMods, c.src.GroupMods())
	}
	if c.src.Ports != nil {
		byRole := make(map[string]int)
		for _, p := range c.src.Ports() {
			byRole[p.Role]++
		}
		for role, n := range byRole {
			out.put(ports, float64(n), role)
		}
	}
	if c.src.Switch == nil {
		return
	}
	_, err := c.src.Switch.Session()
	out.put(switchUp, truth(err == nil))
	stats := c.src.Switch.Stats()
	out.count(connects, stats.Connected)
	out.count(attempts, stats.Attempts)
	e := c.src.Switch.EventStats()
	out.count(events, e.Delivered)
	out.count(dropped, e.Dropped, "queue")
	out.count(dropped, e.Limited, "rate")
}

func (c collector) igmp(out sender) {
	if c.src.Querier != nil {
		state, n := c.src.Querier()
		out.put(querying, truth(state.Querier))
		out.count(queries, n.GeneralQueries, "general")
		out.count(queries, n.SpecificQueries, "specific")
	}
	if c.src.Snooper == nil {
		return
	}
	n := c.src.Snooper()
	// The verdicts are a closed list. Those that never came are left out: there are many.
	for m, counts := range map[metric]*snooper.Counts{frames: &n.Frames, records: &n.Records} {
		for verdict, n := range counts.All() {
			if n > 0 {
				out.count(m, n, verdict.String())
			}
		}
	}
}

// patience is how long the router may take to answer.
const patience = 2 * time.Second

func (c collector) routes(out sender) {
	if c.src.Routes == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	status, err := c.src.Routes(ctx)
	if err != nil { // it has not begun, or has ended
		return
	}
	states := map[string]int{"forwarding": 0, "unwanted": 0, "refused": 0}
	for _, e := range status.Entries {
		switch {
		case e.Pending:
			states["refused"]++
		case e.Negative():
			states["unwanted"]++
		default:
			states["forwarding"]++
		}
	}
	for state, n := range states {
		out.put(routes, float64(n), state)
	}
	out.count(upcalls, status.Stats.NoCache, "no_route")
	out.count(upcalls, status.Stats.WrongVIF, "wrong_interface")
	out.count(upcalls, status.Stats.Ignored, "ignored")
	out.count(upcalls, status.Stats.Refused, "table_full")
	out.count(moves, status.Stats.Moves)
	out.count(stale, status.Stats.Stale)
	out.count(lost, status.Stats.Lost)
	out.count(failed, status.Stats.Failed)
}
