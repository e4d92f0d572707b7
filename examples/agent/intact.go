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

// stock is how many base flows the switch has had.
type stock struct {
	connection uint64 // the how manieth
	told       int    // how many it was told of
	had        uint32 // how many it had
}

// keepIntact is the part of the agent that sends everything again when flows are gone: who sets the bridge's
// fail mode deletes all flows without a word, and so may any administrator. Who deletes all groups, or one
// that base flows use, deletes those with it. A single flow of a group's is not missed.
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
		if now.lost(before) {
			if allowed, _ := pace.take(time.Now()); allowed {
				a.log.Warn("somebody has deleted flows of the agent's; everything is sent again", "left", now.had, "told", now.told)
				a.note("flows were deleted by somebody else")
				a.disconnect()
			}
		}
		before = now
	}
}

// lost says whether some are gone since. What a switch never had it may not know how to count.
func (s stock) lost(before stock) bool {
	return s.had == 0 && s.told > 0 ||
		s.connection == before.connection && s.told == before.told && s.had < before.had
}

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
	ctx, cancel := context.WithTimeout(ctx, intactEvery)
	defer cancel()
	// The lower half of a cookie is 0 in base flows alone.
	n, err := session.FlowTotals(ctx, ofconn.FlowFilter{Table: ofconn.AllTables, Cookie: cookie, CookieMask: ^uint64(0)})
	return stock{a.conn.Stats().Connected, len(a.base.flows), n.Flows}, err == nil
}
