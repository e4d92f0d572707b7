package mcast

import (
	"fmt"
	"time"
)

// Event is one change of one member, for people: for logs, pages and counters.
// It is a value that owns its memory or shares what is immutable. What acts on
// memberships is a [Sink]: events can be missed, what a sink is told cannot.
type Event[M comparable] struct {
	// At is when it happened: the time of the report or of the removal that
	// made it, or the end of the timer, however late that was found.
	At time.Time
	// Group is the group.
	Group Group
	// Member is who changed.
	Member M
	// Change says what happened, and what the member wanted before and wants
	// now. Its Kind says how a membership ended: Left, Expired or Removed.
	Change
	// Owner is whose report or silence it was, or who was removed. Others may
	// hold the member too (contract W1); RemoveMember, which ends what all
	// hold, names one of them.
	Owner Owner
	// Missed is how many events just before this one were lost because they
	// were not read in time.
	Missed uint64
}

// String is for people: the group, the member, and what happened. The time is
// left out, because logs have one.
func (e Event[M]) String() string {
	out := fmt.Sprintf("%v %v %v ", e.Group, e.Member, e.Kind)
	switch {
	case e.Kind == Joined:
		out += e.New.String()
	case e.Kind == Refiltered:
		out += e.Old.String() + " to " + e.New.String()
	default:
		out += e.Old.String()
	}
	if e.Missed > 0 {
		out += fmt.Sprintf(" (%d missed before)", e.Missed)
	}
	return out
}

// tell tells the watchers.
func (c *Cache[M]) tell(g Group, m M, change Change, why cause) {
	if len(c.watchers) == 0 {
		return
	}
	e := Event[M]{At: c.clock.out(why.at), Group: g, Member: m, Change: change, Owner: why.owner}
	for _, w := range c.watchers {
		c.count.Events++
		if w.push(e) {
			c.count.EventsMissed++
		}
	}
}
