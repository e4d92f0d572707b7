package main

import (
	"context"
	"time"

	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

const (
	// intactEvery is how often the switch is asked how many of the base flows it has.
	intactEvery = 5 * time.Second
	// intactPace is the least time between two times that all is sent again because of the answer, but for
	// the first ones: it may be somebody's habit to delete flows.
	intactPace = time.Minute
)

// stock is how many of its flows the switch has had.
type stock struct {
	connection uint64 // how many there have been, with this one
	told       int    // how many base flows it was told of
	had        uint32 // how many of them it had
	confirmed  int    // how many flows of groups it had confirmed
	kept       uint32 // how many of them it had
}

// keepIntact is the part of the agent that sends again what is gone: who sets the bridge's fail mode deletes
// all flows without a word, and so may any administrator. Where base flows are missed everything is sent
// again, for what they use may be gone as well; else the groups that miss one.
func (a *agent) keepIntact(ctx context.Context) error {
	pace := damp{every: intactPace}
	var before stock
	tick := time.NewTicker(intactEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		now, ok := a.takeStock(ctx)
		if !ok {
			continue
		}
		switch {
		case now.lost(before):
			if allowed, _ := pace.take(time.Now()); allowed {
				a.log.Warn("somebody has deleted flows of the agent's; everything is sent again", "left", now.had, "told", now.told)
				a.note("flows were deleted by somebody else")
				a.disconnect()
			}
		case now.short() && before.short(): // once it may be a change that is under way
			if allowed, _ := pace.take(time.Now()); allowed {
				a.sendMissing(ctx)
			}
		}
		before = now
	}
}

// lost says whether some base flows are gone since. What a switch never had it may not know how to count.
func (s stock) lost(before stock) bool {
	return s.had == 0 && s.told > 0 ||
		s.connection == before.connection && s.told == before.told && s.had < before.had
}

// short says whether flows of groups are missing, or were when they were counted.
func (s stock) short() bool { return int(s.kept) < s.confirmed }

// takeStock asks the switch. It is not ok while it is being told something, and while it is away.
func (a *agent) takeStock(ctx context.Context) (s stock, ok bool) {
	if !a.programming.TryLock() {
		return s, false
	}
	defer a.programming.Unlock()
	session, err := a.conn.Session()
	if err != nil || a.handle == nil {
		return s, false
	}
	s = stock{connection: a.conn.Stats().Connected, told: len(a.base.flows), confirmed: a.sink.Confirmed()}
	ctx, cancel := context.WithTimeout(ctx, intactEvery)
	defer cancel()
	// The lower half of a cookie is 0 in base flows alone.
	base, err := session.FlowTotals(ctx, ofconn.FlowFilter{Table: ofconn.AllTables, Cookie: cookie, CookieMask: ^uint64(0)})
	if err != nil {
		return s, false
	}
	all, err := session.FlowTotals(ctx, ofconn.FlowFilter{Table: ofconn.AllTables, Cookie: cookie, CookieMask: cookieMask})
	s.had, s.kept = base.Flows, all.Flows-min(base.Flows, all.Flows)
	return s, err == nil
}

// sendMissing has the groups sent again whose flows are gone.
func (a *agent) sendMissing(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, intactEvery)
	defer cancel()
	missing, err := a.sink.Missing(ctx, a.conn)
	switch {
	case err != nil:
		a.log.Debug("flows of groups not looked for", "err", err)
	case missing > 0:
		a.log.Warn("somebody has deleted flows of groups; they are sent again", "missing", missing)
		a.note("flows of groups were deleted by somebody else")
		a.handle.Resync()
	}
}
