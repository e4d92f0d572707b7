package ofconn

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

const (
	// maxBarriers is how many barrier requests may be unanswered at a time. Two
	// keep the switch busy while an answer is on its way back; the third
	// covers for one that is late.
	maxBarriers = 3

	// maxBatch is the size from which on a write takes no further message.
	maxBatch = 64 << 10

	// maxEchoes bounds the echo replies that wait to be written, for the switch
	// decides how many there are.
	maxEchoes = 16

	// maxUnattended bounds the calls that nobody waits for, and
	// unattendedBarrier is how many may be written before a barrier confirms
	// them.
	maxUnattended     = 1024
	unattendedBarrier = 64
)

// ledger knows what is queued, what is written and who waits for which answer.
// It does no input or output and has no clock.
//
// A call is in the queue, then among the uncovered if a barrier will answer
// it, then in a barrier's covers. It is in calls under its transaction ID from
// its queueing until it is finished, and in no list afterwards, but for the
// covers of a barrier that is still under way.
type ledger struct {
	version  ofgroup.Version
	maxReply int // bytes that the parts of unfinished answers may hold
	window   int // messages that may be written and not confirmed; 0 is any number

	refusals atomic.Uint64 // calls ended by a *SwitchError
	wake     chan struct{} // holds a token when there is something to write
	tight    func() bool   // whether the last answer has only just come

	mu        sync.Mutex
	ended     error
	xid       uint32 // the last one given out
	calls     map[uint32]*call
	queue     []*call
	uncovered []*call    // written, and no barrier request behind them yet
	barriers  []*barrier // unanswered, in the order written
	alone     int        // calls that nobody waits for
	written   uint64     // messages written for which a barrier was wanted
	obeyed    uint64     // of those, the ones before an answered barrier
	partial   int        // bytes that the parts of unfinished answers hold
	row       int        // calls that came one hard upon the other's answer, until the last
	echoes    [][]byte   // encoded echo messages to write before anything else

	size    int               // bytes in the queue
	patient [finished + 1]int // calls that may wait in line, by their stage
	watched bool              // somebody comes by to look at the line
	seen    uint32            // the number of the first in it at the last look
	overdue bool              // it has been there for longer than one is to be held
}

func newLedger(version ofgroup.Version, lastXID uint32) *ledger {
	return &ledger{version: version, maxReply: defaultMaxReply, xid: lastXID, calls: map[uint32]*call{}, wake: make(chan struct{}, 1)}
}

// nextXID returns a transaction ID that is neither 0 nor waited for. The
// caller holds the lock.
func (l *ledger) nextXID() uint32 {
	for {
		l.xid++
		if l.xid == 0 || l.calls[l.xid] != nil || l.barrierAt(l.xid) >= 0 {
			continue
		}
		return l.xid
	}
}

func (l *ledger) barrierAt(xid uint32) int {
	return slices.IndexFunc(l.barriers, func(b *barrier) bool { return b.xid == xid })
}

// enqueue numbers the calls and puts them in line, one behind the other. It fails
// when the session has ended, or with ErrBusy when too many are in line that nobody
// waits for, of which there is one at a time. due says that its caller has to see to it
// that something is written.
func (l *ledger) enqueue(calls ...*call) (due bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended != nil {
		return false, l.ended
	}
	if calls[0].unattended {
		if l.alone >= maxUnattended {
			return false, ErrBusy
		}
		l.alone++
	}
	l.lengthenRow(calls[0])
	for _, c := range calls {
		l.number(c)
		l.size += len(c.msg)
		if c.patient() {
			l.patient[queued]++
		}
	}
	l.queue = append(l.queue, calls...)
	if l.unwatched() {
		l.nudge()
	}
	return l.due(), nil
}

// number gives a call its transaction ID, and has it found by it.
func (l *ledger) number(c *call) {
	c.xid = l.nextXID()
	l.calls[c.xid] = c
	switch {
	case c.nested:
		openflow.PutBundleXID(c.msg, c.xid)
	case len(c.msg) > 0:
		openflow.PutXID(c.msg, c.xid)
	}
}

// enqueueEcho puts an echo message in front of the line, under the given
// transaction ID or, if that is 0, a new one. It returns false when too many
// wait already, or the session has ended.
func (l *ledger) enqueueEcho(messageType uint8, xid uint32, payload []byte) bool {
	l.mu.Lock()
	defer l.unlock()
	if l.ended != nil || len(l.echoes) >= maxEchoes {
		return false
	}
	if xid == 0 && messageType == openflow.TypeEchoRequest {
		xid = l.nextXID()
	}
	l.echoes = append(l.echoes, append(openflow.AppendHeader(nil, openflow.Header{
		Version: uint8(l.version), Type: messageType,
		Length: uint16(openflow.HeaderLen + len(payload)), XID: xid,
	}), payload...))
	return true
}

// abandon ends a call whose caller waits no longer. It returns false if the
// call was answered first; then done has, or is about to have, its token.
func (l *ledger) abandon(c *call, cause error) bool {
	l.mu.Lock()
	defer l.unlock()
	if c.stage == finished {
		return false
	}
	l.giveUp(c, cause)
	return true
}

// endOverdue gives up the calls whose time is over, and returns when that of the next
// one is.
func (l *ledger) endOverdue(now time.Duration, cause error) (next time.Duration) {
	l.mu.Lock()
	next = never
	var overdue []*call
	for _, c := range l.calls {
		if c.until > now {
			next = min(next, c.until)
			continue
		}
		l.giveUp(c, cause)
		overdue = append(overdue, c)
	}
	l.unlock()
	release(overdue)
	return next
}

// giveUp ends a call without its answer. The caller holds the lock.
func (l *ledger) giveUp(c *call, cause error) {
	switch c.stage {
	case queued:
		l.queue = without(l.queue, c)
		c.err = unwritten(cause)
	case written:
		l.uncovered = without(l.uncovered, c)
		c.err = unconfirmed(cause)
	}
	l.finish(c)
	if b := c.barrier; b != nil && b.live == 0 {
		l.forget(b)
	}
}

// finish takes a call out of the books. The caller holds the lock, and wakes whoever
// waits for the call after it has let go of it.
func (l *ledger) finish(c *call) {
	l.move(c, finished)
	delete(l.calls, c.xid)
	l.partial -= len(c.reply) // whole, it is the caller's
	if c.unattended {
		l.alone--
	} else if c.barrier != nil {
		c.barrier.live--
	}
}

// end fails every call there is and every one to come.
func (l *ledger) end(cause error) {
	l.mu.Lock()
	l.ended = cause
	pending := make([]*call, 0, len(l.calls))
	for _, c := range l.calls {
		pending = append(pending, c)
		if c.err = cause; c.stage == queued {
			c.err = ofgroup.NotSent(cause)
		}
		l.finish(c)
	}
	l.queue, l.uncovered, l.barriers, l.echoes = nil, nil, nil, nil
	l.mu.Unlock()
	release(pending)
}

// pending is the number of calls that somebody waits for.
func (l *ledger) pending() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.calls) - l.alone
}

// release wakes the callers of finished calls, without the lock.
func release(calls []*call) {
	for _, c := range calls {
		c.wake()
	}
}

// without returns s without v, in place.
func without[T comparable](s []T, v T) []T {
	return slices.DeleteFunc(s, func(e T) bool { return e == v })
}
