package modeltest

import (
	"slices"

	"github.com/ofmcast/ofmcast/mcast"
)

// remove takes out a member that is gone.
func (m *model) remove(member string, at when) {
	for _, k := range m.keys() {
		if k.member == member {
			m.put(k, nil)
		}
	}
	if slices.ContainsFunc(m.removed, func(r removal) bool { return r.member == member && r.at >= at }) {
		return
	}
	m.removed = append(m.removed, removal{member, at})
	if n := m.limits.Removals; n > 0 && len(m.removed) > n {
		m.forget()
	}
}

// forget forgets the oldest removal, and with it whom older reports are about.
func (m *model) forget() {
	m.forgot = max(m.forgot, m.removed[0].at)
	m.removed = m.removed[1:]
}

// tooOld says that a report may be about a member that was removed since.
func (m *model) tooOld(member string, at when) bool {
	return at <= m.forgot || slices.ContainsFunc(m.removed, func(r removal) bool {
		return r.member == member && at <= r.at
	})
}

// removeOwner takes out what an owner holds.
func (m *model) removeOwner(o mcast.Owner) {
	for _, k := range m.keys() {
		if k.owner == o {
			m.put(k, nil)
		}
	}
}

// expireUnconfirmed takes out what was restored and nothing was heard of.
func (m *model) expireUnconfirmed() {
	for _, k := range m.keys() {
		if m.holdings[k].doubted {
			m.put(k, nil)
		}
	}
}

// snapshot is a copy of the holdings with their timers as they are in truth.
func (m *model) snapshot() []saved {
	var out []saved
	for _, k := range m.keys() {
		h := m.holdings[k].clone()
		h.group.end = m.end(h.group, m.now)
		for s, t := range h.running {
			h.running[s] = timer{m.end(t, m.now), t.lowered}
		}
		out = append(out, saved{k, h, m.now})
	}
	return out
}

// saved is a holding as it was at one time.
type saved struct {
	key key
	h   *holding
	at  when
}

// restore goes on with what was saved.
func (m *model) restore(list []saved, remap map[string]string) (out mcast.Restored) {
	for _, s := range list {
		k := s.key
		if remap != nil {
			k.member = remap[k.member]
		}
		if k.member == "" {
			out.Dropped++
			continue
		}
		if h := m.holdings[k]; h != nil {
			out.Known++
			continue
		}
		h := m.goOn(s)
		if m.tooOld(k.member, m.now) || m.over(k, nil, h) {
			out.Refused++
			continue
		}
		out.Restored++
		m.put(k, h)
	}
	return out
}

// goOn gives the timers what they had left, but neither too little nor too much.
func (m *model) goOn(s saved) *holding {
	left := func(t timer) timer {
		if t.end == never {
			return timer{end: never}
		}
		rest := t.end - s.at
		if s.key.owner.Kind != mcast.Remote {
			rest = min(rest, m.gmi())
		}
		return timer{end: m.now + max(rest, m.answer())}
	}
	older := func(until when) when {
		if until <= s.at {
			return longAgo
		}
		return m.now + min(until-s.at, m.olderHost())
	}
	h := newHolding(m.now - (s.at - s.h.began))
	h.exclude, h.doubted = s.h.exclude, true
	if h.exclude {
		h.group = left(s.h.group)
	}
	for src, t := range s.h.running {
		h.running[src] = left(t)
	}
	for src := range s.h.blocked {
		h.blocked[src] = true
	}
	h.v1, h.v2 = older(s.h.v1), older(s.h.v2)
	return h
}
