package ofconn

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// barrierReply confirms what the barrier of this number covers. The switch has
// then also carried out everything before it (OpenFlow 1.5.1, 6.2), so
// barriers whose own answers are missing are answered with it. It returns false
// if nobody waits for this answer.
func (l *ledger) barrierReply(xid uint32) bool {
	l.mu.Lock()
	at := l.barrierAt(xid)
	var confirmed []*call
	for i, b := range l.barriers[:at+1] {
		if ended := l.finishCovers(b); i == 0 {
			confirmed = ended // as usual
		} else {
			confirmed = append(confirmed, ended...)
		}
	}
	if at >= 0 {
		l.obeyed = l.barriers[at].behind
	}
	l.barriers = append(l.barriers[:0], l.barriers[at+1:]...)
	l.unlock()
	release(confirmed)
	return at >= 0
}

// finishCovers takes all that a barrier covers out of the books, and returns those whose
// callers still wait. They are in the memory of covers. The caller holds the lock.
func (l *ledger) finishCovers(b *barrier) []*call {
	waiting := slices.DeleteFunc(b.covers, func(c *call) bool { return c.stage == finished })
	for _, c := range waiting {
		l.finish(c)
	}
	return waiting
}

// refuse ends what a switch's error is about: the call, or the barrier, of the
// error's own number, or else of the request that it quotes. The quote may be
// short or missing. matched is false if there is no such request; unattended
// says that it was one whose caller has gone on.
func (l *ledger) refuse(e *ofgroup.SwitchError) (matched, unattended bool) {
	l.mu.Lock()
	ended := l.refused(e.XID, e)
	if ended == nil && len(e.Data) >= openflow.HeaderLen {
		ended = l.refused(binary.BigEndian.Uint32(e.Data[4:]), e)
	}
	l.unlock()
	release(ended)
	return ended != nil, len(ended) == 1 && ended[0].unattended && ended[0].confirmed() && errors.Is(ended[0].err, e)
}

// refused ends what the number xid stands for. A barrier that is refused tells
// nothing of what it covers. The caller holds the lock.
func (l *ledger) refused(xid uint32, e *ofgroup.SwitchError) []*call {
	if c := l.calls[xid]; c != nil && c.stage == written {
		c.err = fmt.Errorf("ofconn: %w", e)
		l.uncovered = without(l.uncovered, c)
		l.finish(c)
		l.refusals.Add(1) // before its caller hears of it, who may look
		return []*call{c}
	}
	at := l.barrierAt(xid)
	if at < 0 {
		return nil
	}
	b := l.barriers[at]
	l.barriers = without(l.barriers, b)
	ended := l.finishCovers(b)
	for _, c := range ended {
		// Not wrapped: a *SwitchError would say that the call was refused.
		c.err = unconfirmed(fmt.Errorf("barrier: %v", e))
	}
	return append([]*call{}, ended...) // never nil
}

// multipartReply adds one part to the answer of the call that asked for it,
// and ends the call with the last part. The body is copied. It returns false
// if nobody waits for it.
func (l *ledger) multipartReply(xid uint32, part multipart) bool {
	l.mu.Lock()
	c := l.calls[xid]
	if c == nil || c.stage != written || c.answer != openflow.TypeMultipartReply || c.part != part.kind {
		l.mu.Unlock()
		return false
	}
	tooLarge := l.partial+len(part.body) > l.maxReply
	if tooLarge {
		c.err = fmt.Errorf("ofconn: %w: over %d bytes", ErrReplyTooLarge, l.maxReply)
	} else {
		c.reply = append(c.reply, part.body...)
		l.partial += len(part.body)
	}
	ends := tooLarge || part.flags&openflow.MultipartMore == 0
	if ends {
		l.finish(c)
	}
	if tooLarge {
		c.reply = nil
	}
	l.unlock()
	if ends {
		c.wake()
	}
	return true
}

// reply ends the call of this number with a copy of the whole message that
// answers it. It returns false if nobody waits for one of this type.
func (l *ledger) reply(h openflow.Header, msg []byte) bool {
	l.mu.Lock()
	c := l.calls[h.XID]
	ends := c != nil && c.stage == written && c.answer == h.Type
	if ends {
		l.finish(c)
		c.reply = bytes.Clone(msg)
	}
	l.unlock()
	if ends {
		c.wake()
	}
	return ends
}

// malformedError ends the call of this number with what little is known.
func (l *ledger) malformedError(xid uint32, cause error) bool {
	l.mu.Lock()
	c := l.calls[xid]
	ends := c != nil && c.stage == written
	if ends {
		c.err = unconfirmed(cause)
		l.uncovered = without(l.uncovered, c)
		l.finish(c)
	}
	l.unlock()
	if ends {
		c.wake()
	}
	return ends
}
