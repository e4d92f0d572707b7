package mroute

import (
	"errors"
	"time"
)

// upcall is what the kernel asks or tells.
func (c *core) upcall(u *Upcall, now time.Time) {
	index, _ := c.sock.Interface(u.VIF)
	in, known := c.names[index]
	sg, err := u.plain()
	switch {
	case err != nil, !known:
		c.stats.Ignored++ // a link-local group, or an interface that has vanished meanwhile
	case u.Kind == NoCache:
		c.stats.NoCache++
		c.noCache(sg, in, now)
	case u.Kind == WrongVIF:
		c.stats.WrongVIF++
		c.wrongVIF(sg, in, now)
	default:
		c.stats.Ignored++
	}
}

// noCache answers the kernel, always: it would hold packets and ask again and again. If the entry was believed to be
// there it has been lost. Only beyond MaxEntries the kernel has to forget the packets by itself.
func (c *core) noCache(sg SG, in string, now time.Time) {
	f := c.flows[sg]
	switch {
	case f == nil && len(c.flows) >= c.cfg.MaxEntries:
		c.stats.Refused++
		return
	case f == nil:
		f = c.add(sg, now)
	case !f.pending && !c.stands(f):
		c.lost(f)
	}
	f.in, f.decision, f.goodAt = in, c.decide(f, in), now
	c.unsuspect(f)
	_ = c.install(f)
}

// wrongVIF hears that a stream arrives elsewhere. It may have moved; but where two interfaces are on one LAN it arrives
// at both, and then the entry must stay as it is. So the other interface is a rival, for now: challenge decides.
func (c *core) wrongVIF(sg SG, in string, now time.Time) {
	f := c.flows[sg]
	if f == nil || f.in == in || f.rival.in != "" {
		return // deleted, moved already, or to be decided
	}
	_, err := c.count(f, now)
	switch {
	case errors.Is(err, ErrNoRoute):
		c.noCache(sg, in, now)
		return
	case err != nil:
		_ = c.failed(f, err)
		return
	}
	grace := c.cfg.MoveAfter / graceShare
	f.rival = rival{in: in, from: now.Add(grace), due: f.goodAt.Add(c.cfg.MoveAfter)}
	switch {
	case f.rival.due.After(now.Add(2 * grace)):
	case f.rival.due.After(now):
		f.rival.due = now.Add(2 * grace)
	default:
		// Silent long enough already, perhaps because its packets are rare. Then its next one is on its way to both
		// interfaces, if it is to come to both.
		f.rival = rival{in: in, due: now.Add(grace), enough: true}
	}
	c.suspects[sg] = f
}

// graceShare of MoveAfter is what a packet's copies may be apart on two interfaces.
const graceShare = 10

// challenge looks at the flows that may have moved: those that were silent at their interface long enough, while
// packets went on to come at the other one.
func (c *core) challenge(now time.Time) {
	for _, f := range c.suspects {
		r := &f.rival
		if !r.from.IsZero() && !now.Before(r.from) {
			_, _ = c.count(f, now)
			r.wrong, r.from = f.counters.WrongIf, time.Time{}
		}
		if !now.Before(r.due) {
			c.decideMove(f, now)
		}
	}
}

func (c *core) decideMove(f *flow, now time.Time) {
	counters, err := c.count(f, now)
	r := f.rival
	c.unsuspect(f)
	silent := now.Sub(f.goodAt) >= c.cfg.MoveAfter
	if err == nil && silent && (r.enough || counters.WrongIf != r.wrong) {
		c.move(f, r.in, now)
	}
}

func (c *core) unsuspect(f *flow) {
	f.rival = rival{}
	delete(c.suspects, f.SG)
}

// move gives a stream another incoming interface, if the policy lets it come from there.
func (c *core) move(f *flow, in string, now time.Time) {
	c.unsuspect(f)
	d := c.decide(f, in)
	if d.Reject {
		return
	}
	c.log.Info("a stream has moved", "route", f.SG, "from", f.in, "to", in)
	c.stats.Moves++
	f.in, f.decision, f.goodAt = in, d, now
	_ = c.install(f)
}
