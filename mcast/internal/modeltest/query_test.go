package modeltest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ofmcast/ofmcast/mcast"
)

// asking is what RFC 9776 section 6.6.3 still wants to be sent about a holding.
type asking struct {
	group     int            // group-specific queries
	groupAt   when           // when the next is due
	sources   map[source]int // retransmissions left of each source
	sourcesAt when
}

func newAsking() asking { return asking{sources: map[source]int{}, groupAt: never, sourcesAt: never} }

// leave does what shall be done for Send Q(G) and Send Q(G,X).
func (m *model) leave(h *holding, r mcast.Report[string], askGroup bool, ask map[source]bool, at when) {
	switch {
	case m.atOnce(r):
		if askGroup {
			h.group = timer{at, true}
		}
		for s := range ask {
			h.running[s] = timer{at, true}
		}
	case m.timing.NonQuerier: // whoever is will ask
	default:
		m.ask(h, askGroup, ask, at)
	}
}

// atOnce says that nobody is asked about what the report leaves.
func (m *model) atOnce(r mcast.Report[string]) bool {
	if r.Owner.Kind != mcast.Learned {
		return true
	}
	p := m.policy[r.Member]
	return p == mcast.Immediate || p == mcast.QueryLast && len(m.order[r.Group]) > 1
}

// ask lowers timers to LMQT and schedules queries, the first of them at once.
func (m *model) ask(h *holding, askGroup bool, ask map[source]bool, at when) {
	limit := at + m.lmqt()
	if askGroup {
		// A leave that repeats itself does not start again.
		if h.group.end > limit || h.asking.group == 0 {
			h.asking.group, h.asking.groupAt = m.timing.LMQC, at
		}
		h.group = h.group.lower(limit)
	}
	for s := range ask {
		if h.running[s].end > limit {
			h.asking.sources[s], h.asking.sourcesAt = m.timing.LMQC, at
		}
		h.running[s] = h.running[s].lower(limit)
	}
}

func (t timer) lower(limit when) timer { return timer{min(t.end, limit), true} }

// seen takes in another router's query, RFC 9776 section 6.6.1.
func (m *model) seen(q mcast.SeenQuery, at when) {
	if !m.timing.NonQuerier || q.Suppress {
		return
	}
	limit := at + time.Duration(m.timing.LMQC)*q.MaxResponse
	for k, h := range m.holdings {
		if k.group != q.Group || k.owner.Kind != mcast.Learned {
			continue
		}
		if len(q.Sources) == 0 && h.exclude {
			h.group = timer{m.end(h.group, at), h.group.lowered}.lower(limit)
		}
		for _, s := range q.Sources {
			if t, ok := h.running[s]; ok {
				h.running[s] = timer{m.end(t, at), t.lowered}.lower(limit)
			}
		}
	}
}

// request is a query that goes out.
type request struct {
	group    mcast.Group
	member   string
	sources  string
	suppress bool
	response time.Duration
}

func (q request) String() string {
	s := ""
	if q.suppress {
		s = " S"
	}
	return fmt.Sprintf("Q(%v%s) to %s%s", q.group, q.sources, q.member, s)
}

// requests are the queries about a holding that are due, sent once.
func (m *model) requests(k key) []request {
	h := m.holdings[k]
	if h == nil {
		return nil
	}
	a, limit := &h.asking, m.now+m.lmqt()
	q := request{group: k.group, member: k.member, response: m.timing.LMQI}
	var out []request
	if a.groupAt <= m.now {
		a.group--
		if !h.exclude {
			a.group = 0 // there is no timer to ask about
		} else {
			q.suppress = m.end(h.group, m.now) > limit
			out = append(out, q)
		}
		a.groupAt = m.again(a.groupAt, a.group > 0)
	}
	if a.sourcesAt <= m.now {
		out = append(out, m.sourceRequests(h, q, len(out) > 0)...)
		a.sourcesAt = m.again(a.sourcesAt, len(a.sources) > 0)
	}
	return out
}

// sourceRequests is RFC 9776 section 6.6.3.2: one message for the sources that
// have been refreshed, which may be left out beside a group-specific query, and
// one for the others.
func (m *model) sourceRequests(h *holding, q request, besideGroup bool) []request {
	var refreshed, open []source
	for s := range h.asking.sources {
		if m.end(h.running[s], m.now) > m.now+m.lmqt() {
			refreshed = append(refreshed, s)
		} else {
			open = append(open, s)
		}
		if h.asking.sources[s]--; h.asking.sources[s] == 0 {
			delete(h.asking.sources, s)
		}
	}
	var out []request
	if len(refreshed) > 0 && !besideGroup {
		q.sources, q.suppress = sourceList(refreshed), true
		out = append(out, q)
	}
	if len(open) > 0 {
		q.sources, q.suppress = sourceList(open), false
		out = append(out, q)
	}
	return out
}

// again is when the next of a series is due. What went out late is not made up for.
func (m *model) again(due when, more bool) when {
	switch {
	case !more:
		return never
	case due+m.timing.LMQI > m.now:
		return due + m.timing.LMQI
	default:
		return m.now + m.timing.LMQI
	}
}

func sourceList(list []source) string {
	list = slices.Clone(list)
	slices.SortFunc(list, source.Compare)
	var b strings.Builder
	for _, s := range list {
		b.WriteString(" " + s.String())
	}
	return b.String()
}
