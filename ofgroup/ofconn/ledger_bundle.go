package ofconn

import (
	"slices"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// bundleReply ends the call of this number that the step answers. It returns false if
// nobody waits for it. Flags are not compared: Open vSwitch answers with none.
func (l *ledger) bundleReply(xid uint32, answer openflow.BundleControl) bool {
	l.mu.Lock()
	c := l.calls[xid]
	ends := c != nil && c.stage == written && c.answer == openflow.TypeBundleControl &&
		c.step.ID == answer.ID && c.step.Step == answer.Step
	if ends {
		l.finish(c)
	}
	l.mu.Unlock()
	if ends {
		c.wake()
	}
	return ends
}

// firstError is the place of the first of some calls that has ended with an error, -1
// if none has.
func (l *ledger) firstError(calls []*call) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.IndexFunc(calls, func(c *call) bool { return c.stage == finished && c.err != nil })
}

// withdraw takes calls out of the books that nobody asks about any more, and reports
// whether any of them may have been written. They must not be in a barrier's covers.
func (l *ledger) withdraw(calls []*call) bool {
	l.mu.Lock()
	defer l.unlock()
	sent, waiting := false, false
	for _, c := range calls {
		if c.stage == queued {
			waiting = true
		} else {
			sent = true
		}
		if c.stage != finished {
			l.finish(c)
		}
	}
	if waiting {
		l.queue = slices.DeleteFunc(l.queue, func(c *call) bool { return c.stage == finished })
	}
	return sent
}
