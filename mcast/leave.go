package mcast

// asked is what of a report is to be queried.
type asked struct {
	group   bool // start group-specific queries
	lowered bool // the group timer was lowered for it
	sources bool // start group-and-source-specific queries
}

// ask does what RFC 9776 section 6.6.3 says of the timers when the table says
// Send Q(G) or Send Q(G,S): they are lowered to LMQT; or ended, for members
// whose leaves are immediate.
func (c *Cache[M]) ask(f *filterState, query bool, in *input[M]) (a asked) {
	if !query && !f.asksSources() {
		return a
	}
	if c.hold.frozen && in.Owner.Kind != Static {
		return a
	}
	if c.immediate(in) {
		f.endAsked(query, in.at)
		return a
	}
	if c.timing.NonQuerier {
		return a // whoever queries will be heard: QuerySeen
	}
	limit := in.at.after(c.timing.lmqt)
	if query {
		a.group, a.lowered = true, f.lowerGroup(limit)
	}
	for i := range f.sources {
		s := &f.sources[i]
		if s.ask && s.lower(limit) {
			s.resend = uint8(c.timing.LMQC)
			a.sources = true
		}
	}
	return a
}

// leavePolicy is how the reporting member leaves, if the report can be a leave.
func (c *Cache[M]) leavePolicy(r *Report[M]) LeavePolicy {
	switch {
	case r.Owner.Kind != Learned:
		return Immediate // contract W3
	case c.cfg.Leave == nil || !r.mayLeave():
		return QueryEach
	default:
		return c.cfg.Leave(r.Member)
	}
}

// mayLeave says that the tables may have a query for a report of this kind.
func (r *Report[M]) mayLeave() bool {
	switch r.Kind {
	case ModeIsInclude:
		return len(r.Sources) == 0
	case ChangeToExclude:
		return len(r.Sources) > 0
	default:
		return r.Kind == ChangeToInclude || r.Kind == BlockOldSources
	}
}

// immediate says that what would be asked about ends at once.
func (c *Cache[M]) immediate(in *input[M]) bool {
	if in.leave != QueryLast {
		return in.leave == Immediate
	}
	g := c.groups[in.Group]
	return g != nil && g.tree.n > 1 // others remain
}

func (f *filterState) asksSources() bool {
	for _, s := range f.sources {
		if s.ask {
			return true
		}
	}
	return false
}

// endAsked ends what would have been queried.
func (f *filterState) endAsked(query bool, at instant) {
	if query {
		f.timer, f.leaving = at, true
	}
	for i := range f.sources {
		if s := &f.sources[i]; s.ask {
			s.deadline, s.leaving = at, true
		}
	}
}

// lowerGroup lowers the group timer to limit and says whether it was longer.
// Either way it is a leave that ends it now.
func (f *filterState) lowerGroup(limit instant) bool {
	if !f.exclude() {
		return false
	}
	longer := f.timer > limit
	f.timer, f.leaving = min(f.timer, limit), true
	return longer
}

// lower is lowerGroup for a source timer.
func (s *source) lower(limit instant) bool {
	if s.deadline == stopped {
		return false
	}
	longer := s.deadline > limit
	s.deadline, s.leaving = min(s.deadline, limit), true
	return longer
}
