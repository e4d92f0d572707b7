package ofconn

import (
	"context"
	"fmt"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// Send writes one GROUP_MOD and returns when the switch has confirmed or
// refused it. Its receipt is Confirmed if the error is nil. A message that
// cannot be encoded, or that is of another version than the session's, is
// refused here, with an error that matches ofgroup.ErrNotSent; nil is ErrNoMessage
// besides.
func (s *Session) Send(ctx context.Context, m *ofgroup.Mod) (ofgroup.Receipt, error) {
	if m == nil {
		return ofgroup.Receipt{}, unwritten(ErrNoMessage)
	}
	if m.Version() != s.version {
		return ofgroup.Receipt{}, unwritten(fmt.Errorf("%w: %v on a connection of %v", ofgroup.ErrVersion, m.Version(), s.version))
	}
	c := s.idle.get()
	var err error
	if c.msg, err = m.AppendBinary(c.msg[:0]); err != nil {
		return ofgroup.Receipt{}, ofgroup.NotSent(err)
	}
	err = s.do(ctx, c)
	r := ofgroup.Receipt{XID: c.xid, Confirmed: err == nil}
	if r.Confirmed {
		s.idle.put(c)
	}
	return r, err
}

// Barrier returns when the switch has carried out everything whose Send was
// called before, also what another goroutine's Send still waits for.
func (s *Session) Barrier(ctx context.Context) error {
	return s.do(ctx, newCall(nil, openflow.TypeBarrierReply))
}

// do sees a call through: it ends with the call's answer, with ctx, with
// Config.Timeout if ctx has no deadline, or with the session.
func (s *Session) do(ctx context.Context, c *call) error {
	if err := ctx.Err(); err != nil {
		return unwritten(err)
	}
	c.reads = true
	ctx = s.limit(ctx, c)
	if err := s.enqueue(c); err != nil {
		return ofgroup.NotSent(err)
	}
	s.setAlarm(c.until)
	s.readFor(ctx, c)
	select {
	case <-c.done:
		return c.err
	case <-ctx.Done():
		return s.giveUp(c, ctx.Err())
	}
}

// enqueue has calls written, one behind the other: at once, or with others.
func (s *Session) enqueue(calls ...*call) error {
	due, err := s.ledger.enqueue(calls...)
	if due {
		s.writeNow()
	}
	return err
}

// giveUp ends a call before its answer, unless the answer was quicker.
func (s *Session) giveUp(c *call, cause error) error {
	if !s.ledger.abandon(c, cause) {
		<-c.done
	}
	return c.err
}
