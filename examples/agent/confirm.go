package main

import (
	"context"
	"sync"
	"time"

	"github.com/ofmcast/ofmcast/mcast"
)

// patience is the time since when hosts can be asked and heard without a break.
type patience struct {
	mu      sync.Mutex
	since   time.Time // zero while they cannot
	changed chan struct{}
}

func newPatience() *patience { return &patience{changed: make(chan struct{}, 1)} }

// reached says that hosts can be asked and heard from now on, or that they cannot.
func (p *patience) reached(yes bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.since.IsZero() != yes {
		return // as before
	}
	p.since = time.Time{}
	if yes {
		p.since = time.Now()
	}
	select {
	case p.changed <- struct{}{}:
	default: // it is to be looked at already
	}
}

// wait returns when hosts could be asked and heard for as long as long says, or with ctx's error when it
// has ended.
func (p *patience) wait(ctx context.Context, long func() time.Duration) error {
	for {
		p.mu.Lock()
		since := p.since
		p.mu.Unlock()
		over := make(<-chan time.Time) // never
		if !since.IsZero() {
			over = time.After(time.Until(since.Add(long())))
		}
		select {
		case <-over:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-p.changed:
		}
	}
}

// holdAging is whether silence ends memberships: it does not while hosts cannot be asked.
func (a *agent) holdAging(on bool) {
	a.cache.HoldAging(on)
	a.patience.reached(!on)
}

// endUnconfirmed is the part of the agent that ends, once, what was restored and no host has confirmed,
// as soon as all of them have been asked and have had the time to answer.
func (a *agent) endUnconfirmed(ctx context.Context) error {
	if a.patience.wait(ctx, a.confirmTime) != nil {
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
