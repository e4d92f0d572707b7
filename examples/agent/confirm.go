package main

import (
	"context"
	"time"

	"github.com/ofmcast/ofmcast/mcast"
)

// endUnconfirmed is the part of the agent that ends, once, what was restored and no host has confirmed,
// as soon as all of them have been asked and have had the time to answer.
func (a *agent) endUnconfirmed(ctx context.Context) error {
	if a.reach.wait(ctx, a.confirmTime) != nil {
		return nil
	}
	if n := a.cache.Statistics().Unconfirmed; n > 0 {
		a.log.Info("memberships of the agent before that no host has confirmed end", "memberships", n)
		a.cache.ExpireUnconfirmed()
	}
	<-ctx.Done()
	return nil
}

// confirmTime is how long it takes until hosts must have answered after a start.
func (a *agent) confirmTime() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	return confirmTime(a.timed)
}

// confirmTime is the queries of the start, and the time for the last one's answers; where another router
// queries, a membership interval.
func confirmTime(t mcast.Timing) time.Duration {
	if t.NonQuerier {
		return t.GMI()
	}
	return time.Duration(t.RV-1)*t.QI/4 + t.QRI + time.Second
}
