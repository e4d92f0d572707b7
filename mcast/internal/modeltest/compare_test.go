package modeltest

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ofmcast/ofmcast/mcast"
)

// compare says where the cache is not what the model is.
func (r *rig) compare() error {
	seen := map[mcast.Group]bool{}
	for s := range r.c.Groups() {
		seen[s.Group()] = true
		if err := r.compareState(s); err != nil {
			return err
		}
	}
	holdings, sources, present := 0, 0, 0
	for _, g := range groups {
		if !seen[g] && len(r.m.order[g]) > 0 {
			return fmt.Errorf("%v is not there: want %v", g, r.m.rows(g))
		}
		list := r.c.Memberships(g)
		holdings, present = holdings+len(list), present+len(r.m.order[g])
		for _, is := range list {
			sources += len(is.Sources)
			if err := r.compareMembership(is); err != nil {
				return fmt.Errorf("%v %s %v: %w", g, is.Member, is.Owner.Kind, err)
			}
		}
	}
	if holdings != len(r.m.holdings) {
		return fmt.Errorf("%d memberships, want %d", holdings, len(r.m.holdings))
	}
	stats := r.c.Statistics()
	if stats.Memberships != holdings || stats.Members != present || stats.Sources != sources {
		return fmt.Errorf("statistics count %d memberships, %d members, %d sources, want %d, %d, %d",
			stats.Memberships, stats.Members, stats.Sources, holdings, present, sources)
	}
	return nil
}

// compareRows compares what is there already before Advance.
func (r *rig) compareRows() error {
	for _, g := range groups {
		s, _ := r.c.Lookup(g)
		if err := r.compareState(s); err != nil {
			return err
		}
	}
	return nil
}

func (r *rig) compareState(s mcast.State[string]) error {
	g := s.Group()
	got, want := rowsOf(s), r.m.rows(g)
	if !slices.Equal(got, want) {
		return fmt.Errorf("%v is %v, want %v", g, got, want)
	}
	if got, want := forwardingOf(s), forwarding(g, want); got != want {
		return fmt.Errorf("%v forwards %s want %s", g, got, want)
	}
	if got, want := rowOf(g, "", s.Filter()), joined(want); got != want {
		return fmt.Errorf("%v joins %v, want %v", g, got, want)
	}
	return nil
}

// compareMembership compares all that the RFC keeps.
func (r *rig) compareMembership(is mcast.Membership[string]) error {
	h := r.m.holdings[key{is.Group, is.Member, is.Owner}]
	if h == nil {
		return fmt.Errorf("is there, want none")
	}
	leaving := h.exclude && h.group.lowered
	timers := map[source]time.Duration{}
	for s := range h.blocked {
		timers[s] = 0
	}
	for s, t := range h.running {
		timers[s] = r.m.left(t)
		leaving = leaving || t.lowered
	}
	got := map[source]time.Duration{}
	for _, s := range is.Sources {
		got[s.Addr] = s.Left
	}
	groupTimer := time.Duration(0)
	if h.exclude {
		groupTimer = r.m.left(h.group)
	}
	age, began := is.Age, r.m.now-h.began
	switch {
	case (is.Mode == mcast.Exclude) != h.exclude || is.Left != groupTimer:
		return fmt.Errorf("%v, group timer %v, want exclude %v, %v", is.Mode, is.Left, h.exclude, groupTimer)
	case !maps.Equal(got, timers):
		return fmt.Errorf("source timers %v, want %v", got, timers)
	case is.V1 != max(0, h.v1-r.m.now) || is.V2 != max(0, h.v2-r.m.now):
		return fmt.Errorf("older hosts %v, %v, want until %v, %v", is.V1, is.V2, h.v1, h.v2)
	case is.Leaving != leaving:
		return fmt.Errorf("leaving %v, want %v", is.Leaving, leaving)
	case is.Unconfirmed != h.doubted:
		return fmt.Errorf("unconfirmed %v, want %v", is.Unconfirmed, h.doubted)
	case age > max(0, began)+r.blur || age < began-r.blur: // it is in whole seconds
		return fmt.Errorf("%v old, want %v", age, began)
	}
	return nil
}

func (m *model) left(t timer) time.Duration {
	if t.end == never {
		return mcast.Forever
	}
	return m.end(t, m.now) - m.now
}
