package mcast

// Limits bound the cache's memory, because groups, sources and often members
// are chosen by strangers. 0 takes the default, a negative number is no limit.
// What is over a limit is refused with [ErrLimit] and counted in
// [Statistics.RefusedLimit].
type Limits struct {
	// Groups is the number of groups; default 65,536.
	Groups int
	// Memberships is the number of memberships over all groups, those of
	// different owners counted apart; default 1,048,576.
	Memberships int
	// GroupsPerMember is the number of groups that one member is in; default 16,384.
	GroupsPerMember int
	// SourcesPerMember is the number of sources that one member names in one
	// group; default 1,024.
	SourcesPerMember int
	// TotalSourcesPerMember is the number of sources that one member names over
	// all groups and owners, so that it cannot use up Sources, which are for
	// all; default 131,072, an eighth of theirs.
	TotalSourcesPerMember int
	// Sources is the number of sources over all memberships; default 1,048,576.
	Sources int
	// Removals is the number of removals of members that are remembered (contract
	// R4), those of one member counted apart; default 65,536. No limit still forgets them after a membership interval.
	Removals int
}

func (l Limits) withDefaults() Limits {
	return Limits{
		Groups:                limit(l.Groups, 1<<16),
		Memberships:           limit(l.Memberships, 1<<20),
		GroupsPerMember:       limit(l.GroupsPerMember, 1<<14),
		SourcesPerMember:      limit(l.SourcesPerMember, 1<<10),
		TotalSourcesPerMember: limit(l.TotalSourcesPerMember, 1<<17),
		Sources:               limit(l.Sources, 1<<20),
		Removals:              limit(l.Removals, 1<<16),
	}
}

func limit(given, usual int) int {
	switch {
	case given == 0:
		return usual
	case given < 0:
		return int(^uint(0) >> 1)
	default:
		return given
	}
}
