package modeltest

import (
	"github.com/ofmcast/ofmcast/mcast"
)

// apply takes in a report and says what the cache shall answer.
func (m *model) apply(r mcast.Report[string], at when) error {
	if m.tooOld(r.Member, at) {
		return mcast.ErrRemoved
	}
	k := key{r.Group, r.Member, r.Owner}
	if h := m.holdings[k]; h != nil {
		m.expire(h, at)
		m.put(k, h)
	}
	old := m.holdings[k]
	if old != nil && ignores(old, &r, at) {
		return nil
	}
	if r.Kind == mcast.ModeIsInclude && len(r.Sources) == 0 {
		r.Kind = mcast.ChangeToInclude // the one deviation from the tables
	}
	h := newHolding(at)
	if old != nil {
		h = old.clone()
	}
	m.handle(h, r, at)
	if old == nil && h.nothing() {
		return nil
	}
	if m.over(k, old, h) {
		return mcast.ErrLimit
	}
	m.hear(h, r, at)
	m.put(k, h)
	return nil
}

// ignores is RFC 9776 section 7.3.2: what means nothing while an older host is
// there. It takes the sources out of a record that means something without.
func ignores(h *holding, r *mcast.Report[string], at when) bool {
	v1, v2 := at < h.v1, at < h.v2
	if !v1 && !v2 {
		return false
	}
	toIn := r.Kind == mcast.ChangeToInclude || r.Kind == mcast.ModeIsInclude && len(r.Sources) == 0
	switch {
	case r.Kind == mcast.BlockOldSources, v1 && toIn:
		return true
	case r.Kind == mcast.ChangeToExclude:
		r.Sources = nil
	}
	return false
}

// hear notes which hosts are there.
func (m *model) hear(h *holding, r mcast.Report[string], at when) {
	h.doubted = false
	joins := r.Kind == mcast.ModeIsExclude || r.Kind == mcast.ChangeToExclude
	switch {
	case r.Owner.Kind != mcast.Learned || !joins:
	case r.Version == 1:
		h.v1 = at + m.olderHost()
	case r.Version == 2:
		h.v2 = at + m.olderHost()
	}
}

// handle is the tables of RFC 9776 section 6.4, and the queries they ask for.
func (m *model) handle(h *holding, r mcast.Report[string], at when) {
	for s, t := range h.running {
		h.running[s] = timer{m.end(t, at), t.lowered}
	}
	h.group.end = m.end(h.group, at)
	list := map[source]bool{}
	for _, s := range r.Sources {
		list[s] = true
	}
	var ask map[source]bool
	askGroup := h.exclude && r.Kind == mcast.ChangeToInclude // Send Q(G)
	fresh := timer{end: m.lifetime(r, at)}
	if h.exclude {
		ask = h.inExclude(r.Kind, list, fresh)
	} else {
		ask = h.inInclude(r.Kind, list, fresh)
	}
	if askGroup || len(ask) > 0 {
		m.leave(h, r, askGroup, ask, at)
	}
	m.expire(h, at)
}

func (m *model) lifetime(r mcast.Report[string], at when) when {
	switch {
	case r.Owner.Kind == mcast.Static:
		return never
	case r.Lease > 0:
		return at + r.Lease
	default:
		return at + m.gmi()
	}
}

// inInclude is the rows of sections 6.4.1 and 6.4.2 for INCLUDE (A), report B.
// It returns the X of Send Q(G,X).
func (h *holding) inInclude(kind mcast.Kind, b map[source]bool, gmi timer) (ask map[source]bool) {
	a := names(h.running)
	switch kind {
	case mcast.ModeIsInclude, mcast.AllowNewSources: // INCLUDE (A+B), (B)=GMI
		h.start(b, gmi)
	case mcast.ModeIsExclude: // EXCLUDE (A*B,B-A), (B-A)=0, Delete (A-B), Group Timer=GMI
		h.toExclude(and(a, b), minus(b, a), gmi)
	case mcast.BlockOldSources: // INCLUDE (A), Send Q(G,A*B)
		ask = and(a, b)
	case mcast.ChangeToExclude: // EXCLUDE (A*B,B-A), (B-A)=0, Delete (A-B), Send Q(G,A*B), Group Timer=GMI
		h.toExclude(and(a, b), minus(b, a), gmi)
		ask = and(a, b)
	case mcast.ChangeToInclude: // INCLUDE (A+B), (B)=GMI, Send Q(G,A-B)
		h.start(b, gmi)
		ask = minus(a, b)
	}
	return ask
}

// inExclude is the rows for EXCLUDE (X,Y), report A.
func (h *holding) inExclude(kind mcast.Kind, a map[source]bool, gmi timer) (ask map[source]bool) {
	x, y := names(h.running), h.blocked
	unknown := minus(minus(a, x), y) // A-X-Y
	switch kind {
	case mcast.ModeIsInclude, mcast.AllowNewSources: // EXCLUDE (X+A,Y-A), (A)=GMI
		h.start(a, gmi)
	case mcast.ModeIsExclude: // EXCLUDE (A-Y,Y*A), (A-X-Y)=GMI, Delete (X-A), Delete (Y-A), Group Timer=GMI
		h.start(unknown, gmi)
		h.toExclude(minus(a, y), and(y, a), gmi)
	case mcast.BlockOldSources: // EXCLUDE (X+(A-Y),Y), (A-X-Y)=Group Timer, Send Q(G,A-Y)
		ask = minus(a, y)
		h.start(unknown, h.group)
	case mcast.ChangeToExclude: // EXCLUDE (A-Y,Y*A), (A-X-Y)=Group Timer, Delete (X-A), Delete (Y-A), Send Q(G,A-Y), Group Timer=GMI
		ask = minus(a, y)
		h.start(unknown, h.group)
		h.toExclude(minus(a, y), and(y, a), gmi)
	case mcast.ChangeToInclude: // EXCLUDE (X+A,Y-A), (A)=GMI, Send Q(G,X-A), Send Q(G)
		h.start(a, gmi)
		ask = minus(x, a)
	}
	return ask
}

// start sets the timers of sources, which are not blocked any more.
func (h *holding) start(sources map[source]bool, t timer) {
	for s := range sources {
		h.running[s] = t
		delete(h.blocked, s)
	}
}

// toExclude makes the mode EXCLUDE (x,y); x keep their timers.
func (h *holding) toExclude(x, y map[source]bool, gmi timer) {
	for s := range h.running {
		if !x[s] {
			delete(h.running, s)
			delete(h.asking.sources, s)
		}
	}
	h.exclude, h.group, h.blocked = true, gmi, y
}

func names(timers map[source]timer) map[source]bool {
	out := map[source]bool{}
	for s := range timers {
		out[s] = true
	}
	return out
}

func and(a, b map[source]bool) map[source]bool   { return pick(a, b, true) }
func minus(a, b map[source]bool) map[source]bool { return pick(a, b, false) }

func pick(a, b map[source]bool, in bool) map[source]bool {
	out := map[source]bool{}
	for s := range a {
		if b[s] == in {
			out[s] = true
		}
	}
	return out
}

// over says that a holding, which was old before, would pass a limit.
func (m *model) over(k key, old, h *holding) bool {
	before, after, all, own, groups := 0, len(h.running)+len(h.blocked), 0, 0, 0
	if old != nil {
		before = len(old.running) + len(old.blocked)
	}
	for o, x := range m.holdings {
		all += len(x.running) + len(x.blocked)
		if o.member == k.member {
			own += len(x.running) + len(x.blocked)
			groups++
		}
	}
	exceeds := func(n, limit int) bool { return limit > 0 && n > limit }
	switch {
	case after > before && (exceeds(after, m.limits.SourcesPerMember) ||
		exceeds(own+after-before, m.limits.TotalSourcesPerMember) || exceeds(all+after-before, m.limits.Sources)):
		return true
	case old != nil:
		return false
	default:
		return exceeds(len(m.holdings)+1, m.limits.Memberships) || exceeds(groups+1, m.limits.GroupsPerMember)
	}
}
