package mcast

// Statistics are the cache's counters. Those under "now" are what there is;
// the others only grow.
type Statistics struct {
	// Groups, Memberships, Members and Sources are there now: groups that have
	// members or that a sink has still to take away; memberships, with those of
	// different owners counted apart; members over all groups; and sources that
	// they name.
	Groups, Memberships, Members, Sources int
	// Unconfirmed are the memberships there now that were restored and that
	// no report has confirmed.
	Unconfirmed int

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
	out.Groups, out.Watchers, out.Unconfirmed = len(c.groups), len(c.watchers), len(c.unconfirmed)
	for _, s := range c.sinks {
		out.Sinks = append(out.Sinks, c.sinkStatistics(s))
	}
	return out
}
