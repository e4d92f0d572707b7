package view

import (
	"time"

	"github.com/ofmcast/ofmcast/igmp/snooper"
	"github.com/ofmcast/ofmcast/mcast"
)

func (c *Collector) switchState() (s Switch) {
	if c.src.GroupMods != nil {
		s.GroupMods = c.src.GroupMods()
	}
	if c.src.Switch == nil {
		return s
	}
	_, err := c.src.Switch.Session()
	if s.Connected = err == nil; !s.Connected {
		s.Cause = err.Error()
	}
	s.Connections = c.src.Switch.Stats().Connected
	events := c.src.Switch.EventStats()
	s.PacketInsDropped = events.Dropped + events.Limited
	return s
}

func (c *Collector) querierState() Querier {
	if c.src.Querier == nil {
		return Querier{}
	}
	state, counters := c.src.Querier()
	return Querier{
		Self: state.Querier, Elected: state.Elected.String(),
		Interval: Seconds(state.Timing.QI), Response: Seconds(state.Timing.QRI),
		Membership: Seconds(mcast.Timing(state.Timing).GMI()),
		Sent:       counters.GeneralQueries + counters.SpecificQueries,
	}
}

func (c *Collector) totals(s mcast.Statistics) Totals {
	t := Totals{
		Groups: s.Groups, Members: s.Members, Sources: s.Sources, Unconfirmed: s.Unconfirmed,
		Reports: s.Reports, Joins: s.Joins, Leaves: s.Leaves, Expiries: s.Expiries,
		Removals: s.Removals, Refilters: s.Refilters,
		RefusedInvalid: s.RefusedInvalid, RefusedLimit: s.RefusedLimit, RefusedRemoved: s.RefusedRemoved,
	}
	if c.src.Snooper != nil {
		records := c.src.Snooper().Records
		t.Denied = records[snooper.IgnoredByValidator] + records[snooper.AcceptedAsLeave]
	}
	return t
}

func sinks(s mcast.Statistics, now time.Time) []Sink {
	out := make([]Sink, len(s.Sinks))
	for i, k := range s.Sinks {
		out[i] = Sink{
			Name: k.Name, Pending: k.Pending, Failing: k.Failing,
			Syncs: k.Syncs, Errors: k.Errors + k.PruneErrors, Retries: k.Retries,
			Last: Seconds(k.LastDuration), Longest: Seconds(k.MaxDuration), LastErrorAt: moment(k.LastErrorAt),
		}
		if !k.RunningSince.IsZero() {
			out[i].Running = Seconds(max(0, now.Sub(k.RunningSince)))
		}
		if k.LastError != nil {
			out[i].LastError = k.LastError.Error()
		}
	}
	return out
}
