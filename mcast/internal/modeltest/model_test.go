package modeltest

import (
	"maps"
	"math"
	"net/netip"
	"slices"
	"time"

	"github.com/ofmcast/ofmcast/mcast"
)

// when is a time since the beginning of the history.
type when = time.Duration

const (
	never   when = math.MaxInt64
	longAgo when = math.MinInt64 / 2
)

type source = netip.Addr

// model is what a cache shall be. It is a map of filters with the ends of
// their timers; what to do at a report is in report_test.go, and when to ask
// in query_test.go.
type model struct {
	setup
	now      when
	held     bool
	releases bool          // the hold is over at the next advance
	grace    time.Duration // what is left of every timer after the hold
	floor    when          // silence ends nothing before it: the end of the last hold and the grace
	holdings map[key]*holding
	order    map[mcast.Group][]string // the members, as they joined
	removed  []removal                // in their order, one that is older than another of the member left out
	forgot   when                     // the newest removal that is not in removed any more
	emptied  func()                   // is called when a group has lost its last member
}

// setup is what a history keeps over restarts.
type setup struct {
	timing mcast.Timing // no field is zero
	policy map[string]mcast.LeavePolicy
	limits mcast.Limits // 0 is none
	sorted bool         // members by name, descending
}

// key is one interface of the RFC: one member, as far as one owner holds it.
type key struct {
	group  mcast.Group
	member string
	owner  mcast.Owner
}

// holding is what RFC 9776 section 6.2 keeps for one group on one interface.
type holding struct {
	exclude bool
	group   timer            // in EXCLUDE mode
	running map[source]timer // A in INCLUDE mode, X in EXCLUDE mode
	blocked map[source]bool  // Y
	v1, v2  when             // until when there is an older host
	began   when
	doubted bool // restored, and no report since
	asking  asking
}

type timer struct {
	end     when
	lowered bool // by a leave or a query, so that it is more than silence when it ends
}

type removal struct {
	member string
	at     when
}

func newModel(s setup, now when) *model {
	return &model{
		setup: s, now: now, floor: longAgo, forgot: longAgo,
		holdings: map[key]*holding{}, order: map[mcast.Group][]string{},
	}
}

func newHolding(began when) *holding {
	return &holding{
		running: map[source]timer{}, blocked: map[source]bool{},
		v1: longAgo, v2: longAgo, began: began, asking: newAsking(),
	}
}

func (h *holding) clone() *holding {
	c := *h
	c.running, c.blocked, c.asking.sources = maps.Clone(h.running), maps.Clone(h.blocked), maps.Clone(h.asking.sources)
	return &c
}

// RFC 9776 sections 8.4, 8.10 and 8.13.
func (m *model) gmi() time.Duration  { return time.Duration(m.timing.RV)*m.timing.QI + 2*m.timing.QRI }
func (m *model) lmqt() time.Duration { return time.Duration(m.timing.LMQC) * m.timing.LMQI }
func (m *model) olderHost() time.Duration {
	return time.Duration(m.timing.RV)*m.timing.QI + m.timing.QRI
}

// answer is the time in which a general query is surely answered.
func (m *model) answer() time.Duration { return m.timing.QRI + time.Second }

// end is when a timer ends, seen at a time: not before a hold is over, but for
// the timers of a leave.
func (m *model) end(t timer, at when) when {
	switch {
	case t.lowered:
		return t.end
	case m.held:
		return max(t.end, m.floor, max(at, m.now)+m.grace)
	default:
		return max(t.end, m.floor)
	}
}

// expire is RFC 9776 sections 6.3 and 6.5: a source whose timer has ended goes
// in INCLUDE mode and becomes a blocked one in EXCLUDE mode, and when the group
// timer has ended the mode is INCLUDE with the sources that are left.
func (m *model) expire(h *holding, at when) {
	for s, t := range h.running {
		if m.end(t, at) > at {
			continue
		}
		delete(h.running, s)
		delete(h.asking.sources, s)
		if h.exclude {
			h.blocked[s] = true
		}
	}
	if h.exclude && m.end(h.group, at) <= at {
		h.exclude, h.group = false, timer{}
		clear(h.blocked)
	}
}

func (h *holding) nothing() bool { return !h.exclude && len(h.running) == 0 }

// put takes over what has become of a holding.
func (m *model) put(k key, h *holding) {
	if h == nil || h.nothing() {
		delete(m.holdings, k)
	} else {
		m.holdings[k] = h
	}
	list := m.order[k.group]
	switch there := m.isMember(k.group, k.member); {
	case there && !slices.Contains(list, k.member):
		m.order[k.group] = append(list, k.member)
	case !there && len(list) > 0:
		m.order[k.group] = slices.DeleteFunc(list, func(name string) bool { return name == k.member })
		if len(m.order[k.group]) == 0 {
			m.emptied()
		}
	}
}

func (m *model) isMember(g mcast.Group, name string) bool {
	for k := range m.holdings {
		if k.group == g && k.member == name {
			return true
		}
	}
	return false
}

// keys are the holdings that there are now, so that they can be changed
// meanwhile, in the order of groups, joining and owners.
func (m *model) keys() []key {
	var out []key
	for _, g := range groups {
		for _, name := range m.order[g] {
			for _, o := range owners {
				if m.holdings[key{g, name, o}] != nil {
					out = append(out, key{g, name, o})
				}
			}
		}
	}
	return out
}

// advance moves time.
func (m *model) advance(now when) {
	m.now = max(m.now, now)
	if m.releases {
		m.held, m.releases, m.floor = false, false, max(m.floor, m.now+m.grace)
	}
	for _, k := range m.keys() {
		h := m.holdings[k]
		m.expire(h, m.now)
		m.put(k, h)
	}
	for len(m.removed) > 0 && m.removed[0].at+m.gmi() <= m.now {
		m.forget()
	}
}

// hold lets silence mean nothing, or something again.
func (m *model) hold(on bool) {
	if on && !m.held {
		m.held, m.grace = true, m.answer()
	}
	m.releases = m.held && !on
}

// setTiming is for timers that are started from now on.
func (m *model) setTiming(t mcast.Timing) {
	m.timing = t
	if m.held { // a query with the longer time may still be answered
		m.grace = max(m.grace, m.answer())
	}
}
