package main

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// found is what a switch holds that is an agent's: of this one, or of the one before.
type found struct {
	flows  map[flowKey]ofconn.FlowStats
	groups []ofgroup.Group // in ascending order of their numbers
	meters []uint32
}

// look reads what there is of an agent's on the switch, and of its groups those that are asked for.
func look(ctx context.Context, s *ofconn.Session, groups func(ofgroup.ID) bool) (f found, err error) {
	flows, err := s.FlowStats(ctx, ofconn.FlowFilter{Table: ofconn.AllTables, Cookie: cookie, CookieMask: cookieMask})
	if err != nil {
		return found{}, err
	}
	f.flows = make(map[flowKey]ofconn.FlowStats, len(flows))
	for _, have := range flows {
		// No agent has made a match that cannot be read, whatever the cookie says.
		if match, err := ofgroup.ParseMatch(have.Match); err == nil {
			f.flows[flowKey{have.Table, have.Priority, match}] = have
		}
	}
	if f.groups, err = lookAtGroups(ctx, s, groups); err != nil {
		return found{}, err
	}
	meters, err := s.MeterStats(ctx, ofconn.AllMeters)
	if err != nil && !refused(err) { // of a switch without meters
		return found{}, err
	}
	for _, m := range meters {
		if !foreignMeter(m.ID) {
			f.meters = append(f.meters, m.ID)
		}
	}
	return f, nil
}

// lookAtGroups reads groups one by one: what others have, and how much, is none of our business, and
// some switches cannot tell of all of them at once.
func lookAtGroups(ctx context.Context, s *ofconn.Session, wanted func(ofgroup.ID) bool) ([]ofgroup.Group, error) {
	stats, err := s.GroupStats(ctx, ofgroup.AllGroups)
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	var groups []ofgroup.Group
	err = atOnce(stats, func(st ofgroup.GroupStats) error {
		if !wanted(st.ID) {
			return nil
		}
		g, there, err := s.GroupDesc(ctx, st.ID)
		if there {
			mu.Lock()
			defer mu.Unlock()
			groups = append(groups, g)
		}
		return err
	})
	slices.SortFunc(groups, func(a, b ofgroup.Group) int { return cmp.Compare(a.ID(), b.ID()) })
	return groups, err
}

// adopt takes over what the switch was found to hold: what is as the layout wants it stays, and what
// the layout does not have goes with the next apply. How the meters are set is not told. Flows with the
// number of a group in the cookie are the sink's.
func (b *base) adopt(f found, l layout, v ofgroup.Version) {
	for _, g := range f.groups {
		b.groups[g.ID()] = told[ofgroup.Group]{sure: true, what: g}
	}
	for _, id := range f.meters {
		b.meters[ofgroup.Port(id-meterBase)] = told[uint32]{}
	}
	for key, have := range f.flows {
		if have.Cookie == cookie {
			b.flows[key] = told[string]{}
		}
	}
	for _, want := range l.flows(b.unmetered) {
		have, there := f.flows[keyOf(want)]
		if there && have.Cookie == cookie && have.IdleTimeout == 0 && have.HardTimeout == 0 && have.Does(v, want.Actions...) {
			b.flows[keyOf(want)] = told[string]{sure: true, what: ofgroup.ActionsText(want.Actions...)}
		}
	}
}
