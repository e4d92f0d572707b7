package main

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// found is what a switch holds that is an agent's: of this one, or of the one before. The zero value
// is what a switch holds that was started anew. The flows for multicast groups, which have a number in
// the lower half of their cookies, are the sink's to find: see ofsink.Sink.Adopt.
type found struct {
	flows  map[place]ofconn.FlowStats
	groups []ofgroup.Group // in ascending order of their numbers
	meters []uint32
}

// place is where a flow stands: a switch has one at most there. The match is as we would write it, or as
// the switch does if we would not.
type place struct {
	table    uint8
	priority uint16
	match    string
}

// look reads what there is of an agent's on the switch.
func look(ctx context.Context, s *ofconn.Session) (f found, err error) {
	flows, err := s.FlowStats(ctx, ofconn.FlowFilter{Table: ofconn.AllTables, Cookie: cookie, CookieMask: ^uint64(0)})
	if err != nil {
		return found{}, err
	}
	f.flows = make(map[place]ofconn.FlowStats, len(flows))
	for _, have := range flows {
		at := place{have.Table, have.Priority, string(have.Match)}
		if m, err := ofgroup.ParseMatch(have.Match); err == nil {
			at = placeOf(ofconn.FlowMod{Table: have.Table, Priority: have.Priority, Match: m})
		}
		f.flows[at] = have
	}
	if f.groups, err = lookAtGroups(ctx, s); err != nil {
		return found{}, err
	}
	meters, err := s.MeterStats(ctx, ofconn.AllMeters)
	if err != nil && !refused(err) { // of a switch without meters
		return found{}, err
	}
	for _, m := range meters {
		f.meters = append(f.meters, m.ID)
	}
	return f, nil
}

// lookAtGroups reads the groups with an agent's numbers one by one: what others have there, and how
// much, is none of our business, and some switches cannot tell of all of them at once.
func lookAtGroups(ctx context.Context, s *ofconn.Session) ([]ofgroup.Group, error) {
	stats, err := s.GroupStats(ctx, ofgroup.AllGroups)
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	var groups []ofgroup.Group
	err = atOnce(stats, func(st ofgroup.GroupStats) error {
		if !isBaseGroup(st.ID) && !isSinkGroup(st.ID) {
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

// hasFlow says whether the switch holds this very flow.
func (f found) hasFlow(want ofconn.FlowMod, v ofgroup.Version) bool {
	have, there := f.flows[placeOf(want)]
	return there && have.Cookie == want.Cookie && have.Does(v, want.Actions...)
}

// placeOf is where a flow is to stand.
func placeOf(f ofconn.FlowMod) place {
	match, _ := f.Match.AppendBinary(nil) // one that cannot be sent is nowhere
	return place{f.Table, f.Priority, string(match)}
}

// strayFlows are the flows that are not at the place of any of these.
func (f found) strayFlows(want []ofconn.FlowMod) []strayFlow {
	wanted := make(map[place]bool, len(want))
	for _, w := range want {
		wanted[placeOf(w)] = true
	}
	var strays []strayFlow
	for at, have := range f.flows {
		if !wanted[at] {
			strays = append(strays, strayFlow(have))
		}
	}
	return strays
}
