package mcast

import "errors"

// Statistics are the cache's counters. Those under "now" are what there is;
// the others only grow.
type Statistics struct {
	// Groups, Memberships, Members and Sources are there now: groups that have
	// members or that a sink has still to take away; memberships, with those of
	// different owners counted apart; members over all groups; and sources that
	// they name.
	Groups, Memberships, Members, Sources int

	// Reports is every call of Apply.
	Reports uint64
	// RefusedInvalid, RefusedLimit and RefusedRemoved are reports that Apply
	// returned an error for.
	RefusedInvalid, RefusedLimit, RefusedRemoved uint64
	// IgnoredOlderHost are reports that mean nothing while an older host is
	// behind the member (RFC 9776 section 7.3.2).
	IgnoredOlderHost uint64

	// Joins are members that came into a group.
	Joins uint64
	// Leaves are members that left one: by an immediate leave, or because
	// nobody answered the queries after one.
	Leaves uint64
	// Expiries are members that fell silent.
	Expiries uint64
	// Removals are members that RemoveMember or RemoveOwner took out.
	Removals uint64
	// Refilters are members that stayed with another filter.
	Refilters uint64

	// Queries were handed to Config.Query, QueryErrors of them failed.
	Queries, QueryErrors uint64

	// Watchers are those there now. Events is what they were told, counted
	// for each of them, EventsMissed is how much of it was lost because they
	// did not read it.
	Watchers             int
	Events, EventsMissed uint64

	// Sinks are the sinks, in the order in which they were added.
	Sinks []SinkStatistics
}

// SinkStatistics are the counters of one sink.
type SinkStatistics struct {
	// Name is the sink's name.
	Name string
	// Pending is the number of groups that it has still to be told something
	// about now, those under way included; Running is the calls under way.
	Pending, Running int
	// Syncs are the calls of Sync that have ended, Errors those that failed.
	Syncs, Errors uint64
	// Skipped are the calls that were saved because the changes had undone
	// each other.
	Skipped uint64
	// Prunes are the calls of Prune that have ended, PruneErrors those that failed.
	Prunes, PruneErrors uint64
	// Panics are the failures, of either, that were panics.
	Panics uint64
}

// change counts what happened to a member of a group.
func (s *Statistics) change(k ChangeKind) {
	switch k {
	case Joined:
		s.Members++
		s.Joins++
	case Left:
		s.Members--
		s.Leaves++
	case Expired:
		s.Members--
		s.Expiries++
	case Removed:
		s.Members--
		s.Removals++
	case Refiltered:
		s.Refilters++
	}
}

// note counts a call that has ended.
func (s *SinkStatistics) note(prune, skip bool, err error, cut bool) {
	failed := err != nil && !cut
	switch {
	case skip:
		s.Skipped++
	case prune:
		s.Prunes++
		s.PruneErrors += one(failed)
	default:
		s.Syncs++
		s.Errors += one(failed)
	}
	s.Panics += one(failed && errors.Is(err, ErrPanic))
}

func one(yes bool) uint64 {
	if yes {
		return 1
	}
	return 0
}

// Statistics returns the counters as they are now.
func (c *Cache[M]) Statistics() Statistics {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := c.count
	out.Groups, out.Watchers = len(c.groups), len(c.watchers)
	for _, s := range c.sinks {
		n := s.count
		n.Name, n.Running = s.name, s.calls
		n.Pending = s.fresh.n + s.retry.n + s.later.len() + s.calls
		out.Sinks = append(out.Sinks, n)
	}
	return out
}
