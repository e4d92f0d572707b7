package main

import (
	"net/netip"
	"slices"
	"time"

	"github.com/ofmcast/ofmcast/examples/agent/members"
	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// byConfig owns what is joined by the configuration.
var byConfig = mcast.Owner{Kind: mcast.Static, ID: "config"}

// applyStatic makes the cache have the configured joins of the ports that are there, and no others. A
// port that goes takes its joins along, and gets them again when it is back.
func (a *agent) applyStatic(at time.Time) {
	p := a.policy.now.Load()
	if len(p.Static) == 0 && len(a.policy.static) == 0 {
		return
	}
	for _, port := range a.portInfos() {
		want := make(map[mcast.Group][]netip.Addr)
		for _, s := range p.Static {
			if s.Port == port.Name && !port.Drained && !port.Down {
				want[s.Group] = s.Sources
			}
		}
		if len(want) > 0 || a.policy.static[port.Number] {
			a.joinStatic(port.Number, want, at)
		}
	}
}

// joinStatic makes a port have these configured joins and no others.
func (a *agent) joinStatic(p ofgroup.Port, want map[mcast.Group][]netip.Addr, at time.Time) {
	a.policy.static[p] = true
	if len(want) == 0 {
		delete(a.policy.static, p)
	}
	for _, m := range a.cache.MembershipsOf(members.Port(p)) {
		if m.Owner != byConfig {
			continue
		}
		sources, wanted := want[m.Group]
		switch {
		case !wanted:
			a.setStatic(m.Group, p, mcast.ChangeToInclude, nil, at)
		case sameSources(m, sources):
			delete(want, m.Group)
		}
	}
	for g, sources := range want {
		kind := mcast.ChangeToInclude
		if len(sources) == 0 {
			kind = mcast.ChangeToExclude
		}
		a.setStatic(g, p, kind, sources, at)
	}
}

func (a *agent) setStatic(g mcast.Group, p ofgroup.Port, kind mcast.Kind, sources []netip.Addr, at time.Time) {
	// What is refused is counted by the cache, and tried again.
	_ = a.cache.Apply(mcast.Report[members.Member]{Group: g, Member: members.Port(p), Kind: kind, Sources: sources, Owner: byConfig, At: at})
}

// sameSources says whether a static membership is for these sources, or all if there are none.
func sameSources(m mcast.Membership[members.Member], sources []netip.Addr) bool {
	if (m.Mode == mcast.Exclude) != (len(sources) == 0) || len(m.Sources) != len(sources) {
		return false
	}
	for _, s := range m.Sources {
		if !slices.Contains(sources, s.Addr) {
			return false
		}
	}
	return true
}
