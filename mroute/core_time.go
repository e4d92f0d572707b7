package mroute

import (
	"errors"
	"time"
)

// due is when advance has something to do.
func (c *core) due() time.Time {
	at := c.nextTick
	for _, f := range c.suspects {
		at = earlier(at, f.rival.due)
		if !f.rival.from.IsZero() {
			at = earlier(at, f.rival.from)
		}
	}
	if !c.keepUntil.IsZero() {
		at = earlier(at, c.keepUntil)
	}
	return at
}

// advance does what is due. Ticks that were missed are not made up for.
func (c *core) advance(now time.Time) {
	c.challenge(now)
	c.unkeep(now)
	if now.Before(c.nextTick) {
		return
	}
	c.lastTick, c.nextTick = now, now.Add(c.cfg.Tick)
	c.listen()
	have := c.look()
	for _, f := range c.flows {
		c.tick(f, have[f.SG], now)
	}
	c.sweep()
}

// sweep forgets the streams that come from where streams only leave, once none leaves there: they cause upcalls, and
// need their negative entries, only while the interface has a VIF.
func (c *core) sweep() {
	used := make(map[string]bool, len(c.cfg.Inputs))
	for _, name := range c.cfg.Inputs {
		used[name] = true
	}
	for _, f := range c.flows {
		for _, name := range f.out {
			used[name] = true
		}
	}
	for _, f := range c.flows {
		if !used[f.in] {
			_ = c.remove(f)
		}
	}
}

// tick looks after one flow, with what the kernel told of it. Whatever fails is tried again with the next tick.
func (c *core) tick(f *flow, have *KernelRoute, now time.Time) {
	before := f.counters
	err := c.compare(f, have, now)
	_, there := c.links[f.in]
	switch {
	case !there:
		_ = c.remove(f) // what failed when the interface vanished
	case errors.Is(err, ErrNoRoute) && len(f.decision.Out) == 0 && !f.pending:
		c.lost(f)
		_ = c.remove(f) // the stream's next packet asks for it
	case errors.Is(err, ErrNoRoute):
		if !f.pending {
			c.lost(f)
		}
		c.expireOr(f, now, c.install)
	case err != nil:
		_ = c.failed(f, err)
	case f.pending:
		c.expireOr(f, now, c.install)
	case c.polls && f.counters.WrongIf != before.WrongIf && now.Sub(f.goodAt) >= c.cfg.MoveAfter:
		_ = c.remove(f) // it comes from elsewhere, and its next packet tells where
	default:
		c.expireOr(f, now, nil)
	}
}

// expireOr removes a flow that had no packets for too long, and otherwise does what is to be done.
func (c *core) expireOr(f *flow, now time.Time, otherwise func(*flow) error) {
	limit := c.cfg.StaleAfter
	if len(f.out) == 0 {
		limit = c.cfg.NegativeAfter
	}
	switch {
	case now.Sub(f.goodAt) >= limit:
		if c.remove(f) == nil {
			c.stats.Stale++
		}
	case otherwise != nil:
		_ = otherwise(f)
	}
}
