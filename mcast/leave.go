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
func (c *Cache[M]) ask(f *filterState, query bool, r *Report[M], at instant) (a asked) {
	if !query && !f.asksSources() {
		return a
	}
	switch c.policy(r) {
	case Immediate:
		f.endAsked(query, at)
		return a
	default:
		if c.timing.NonQuerier {
			return a // whoever queries will be heard: QuerySeen
		}
	}
	limit := at.after(c.timing.lmqt)
	if query {
		a.group, a.lowered = true, f.timer > limit
		f.lowerGroup(limit)
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

// policy is how the reporting member leaves.
func (c *Cache[M]) policy(r *Report[M]) LeavePolicy {
	if r.Owner.Kind != Learned {
		return Immediate // contract W3
	}
	if c.cfg.Leave == nil {
		return QueryEach
	}
	p := c.cfg.Leave(r.Member)
	if p != QueryLast {
		return p
	}
	if g := c.groups[r.Group]; g != nil && g.tree.n > 1 {
		return Immediate
	}
	return QueryEach
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

// lowerGroup lowers the group timer to limit.
func (f *filterState) lowerGroup(limit instant) {
	if f.exclude() && f.timer > limit {
		f.timer, f.leaving = limit, true
	}
}

// lower lowers a running source timer to limit and says whether it was longer.
func (s *source) lower(limit instant) bool {
	if s.deadline <= limit { // as is a stopped one
		return false
	}
	s.deadline, s.leaving = limit, true
	return true
}
