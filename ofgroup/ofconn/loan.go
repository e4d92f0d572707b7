package ofconn

import (
	"context"
	"sync/atomic"
	"time"
)

// A caller who is woken by the goroutine that reads costs more than the answer does: the Go runtime
// starts a thread in search of further work whenever one goroutine wakes another, and on a machine
// with few processors it takes one from the switch. So to one caller who commits again and again,
// alone, the read loop lends the connection: he then reads himself until he has his answer, and does
// with everything else that comes exactly what the loop would. Nobody has to be woken.
//
// Between two of his calls nobody reads, and what the switch tells of its own accord waits. So it is
// lent in a tight row of calls only, and the loop takes it back as soon as nothing was read for as
// long as maxUnread: between calls at once, and from a caller by a deadline, after which he waits like
// all others. That is also how he comes to hear the end of his context, his time or the session.

const (
	// rowToLend is how many calls of a row are answered before the connection is lent.
	rowToLend = 8

	// maxPause is how long after an answer the next call of a row begins, at the latest.
	maxPause = 100 * time.Microsecond

	// maxUnread is how long a connection that is lent may have nothing read from it.
	maxUnread = time.Millisecond
)

// Who has the connection to read from it.
const (
	withLoop   int32 = iota
	withNobody       // lent, and the next caller may take it
	withCaller
)

// loan is what the read loop and callers agree on. Who has the connection has the reader's buffer,
// too, in which half a message may lie.
type loan struct {
	able bool // the connection has deadlines
	with atomic.Int32
	back chan struct{} // takes a token when somebody returned it
}

// lend lends the connection if a row of calls is under way, and returns when the loop has it again.
func (s *Session) lend() {
	l := &s.loan
	if !l.able || s.reader.Buffered() > 0 || !s.ledger.lendable() {
		return
	}
	l.with.Store(withNobody)
	if s.ledger.pending() > 0 && l.with.CompareAndSwap(withNobody, withLoop) {
		return // somebody came in between, and waits like all others
	}
	if s.awaitBack() {
		_ = s.conn.SetReadDeadline(time.Time{})
	}
}

// awaitBack returns when the connection is back, and whether it took a deadline.
func (s *Session) awaitBack() (deadline bool) {
	due := time.NewTimer(maxUnread)
	defer due.Stop()
	for {
		select {
		case <-s.loan.back:
			return deadline
		case <-due.C:
			if unread := s.sinceHeard(); unread < maxUnread {
				due.Reset(maxUnread - unread)
				continue
			}
		}
		s.ledger.endRow()
		if s.loan.with.CompareAndSwap(withNobody, withLoop) {
			return deadline
		}
		deadline = true
		_ = s.conn.SetReadDeadline(longAgo)
		due.Reset(maxUnread)
	}
}

// readFor has the caller of c read if the connection is lent, until c has ended or he is to wait
// like all others.
func (s *Session) readFor(ctx context.Context, c *call) {
	l := &s.loan
	if l.with.Load() != withNobody || !l.with.CompareAndSwap(withNobody, withCaller) {
		return // mostly without a write to what all callers read
	}
	for len(c.done) == 0 {
		if ctx.Err() != nil || !s.readOn() {
			s.giveBack()
			return
		}
	}
	if s.reader.Buffered() > 0 {
		s.giveBack()
		return
	}
	l.with.Store(withNobody)
	if s.ledger.pending() > 0 {
		s.recall() // for others, who came meanwhile and wait
	}
}

// readOn is readMessage for a caller, who is to stop when it returns false.
func (s *Session) readOn() bool {
	err := s.readMessage()
	if err != nil && !isTimeout(err) {
		s.fail(err)
	}
	return err == nil
}

// recall has the loop read for who does not read himself.
func (s *Session) recall() {
	if s.loan.with.CompareAndSwap(withNobody, withCaller) {
		s.giveBack()
	}
}

// giveBack returns the connection to the loop, by who has it.
func (s *Session) giveBack() {
	s.loan.with.Store(withLoop)
	s.loan.back <- struct{}{}
}
