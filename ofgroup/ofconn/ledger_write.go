package ofconn

import (
	"slices"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// batch is what one write carries.
type batch struct {
	bytes    []byte
	messages int // requests in it, barrier requests not counted
	barriers int
}

// take moves what is in line into one batch, which reuses buf, and ends it
// with a barrier request if anything waits for one and there is room. From
// here on the moved calls count as written, whatever the write comes to.
func (l *ledger) take(buf []byte) batch {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := batch{bytes: buf[:0]}
	for _, echo := range l.echoes {
		b.bytes = append(b.bytes, echo...)
	}
	clear(l.echoes)
	l.echoes = l.echoes[:0]

	taken := 0
	for held := l.held(); !held && taken < len(l.queue) && len(b.bytes) < maxBatch && !l.windowFull(); {
		c := l.queue[taken]
		taken++
		b.bytes = append(b.bytes, c.msg...)
		if len(c.msg) > 0 {
			b.messages++
		}
		if len(c.msg) > 0 && c.confirmed() && !c.unattended {
			l.written++
		}
		l.move(c, written)
		if cap(c.msg) > keepMessage {
			c.msg = nil
		}
		if c.confirmed() {
			l.uncovered = append(l.uncovered, c)
		}
	}
	if taken > 0 {
		l.queue, l.overdue = dropFirst(l.queue, taken), false
	}
	if wanted, urgent := l.wantsBarrier(); wanted && l.roomForBarrier(urgent) {
		b.bytes = l.appendBarrier(b.bytes)
		b.barriers++
	}
	return b
}

// windowFull reports whether no message may be written until a barrier is
// answered.
func (l *ledger) windowFull() bool {
	return l.window > 0 && l.written-l.obeyed >= uint64(l.window)
}

// wantsBarrier reports whether what is uncovered needs a barrier now, or a full
// window one that can open it, because those that covered it were given up.
// urgent says that somebody waits for it.
func (l *ledger) wantsBarrier() (wanted, urgent bool) {
	urgent = slices.ContainsFunc(l.uncovered, func(c *call) bool { return !c.unattended })
	stuck := l.windowFull() && len(l.barriers) == 0
	return urgent || stuck || len(l.uncovered) >= unattendedBarrier, urgent
}

// roomForBarrier reports whether another barrier request may be sent. One that
// nobody waits for, such as when all that it covers was refused, does not keep
// an urgent one out.
func (l *ledger) roomForBarrier(urgent bool) bool {
	if len(l.barriers) < maxBarriers {
		return true
	}
	if at := l.idleBarrier(); urgent && at >= 0 {
		l.forget(l.barriers[at])
		return true
	}
	return false
}

// idleBarrier is the place of a barrier that nobody waits for, -1 if there is none.
func (l *ledger) idleBarrier() int {
	return slices.IndexFunc(l.barriers, func(b *barrier) bool { return b.live == 0 })
}

// forget gives up a barrier that nobody waits for. Calls that are unattended are
// left for the next one.
func (l *ledger) forget(b *barrier) {
	l.barriers = without(l.barriers, b)
	for _, c := range b.covers {
		if c.stage != finished {
			c.barrier = nil
			l.uncovered = append(l.uncovered, c)
		}
	}
}

// appendBarrier covers everything uncovered with a new barrier request. The
// caller holds the lock.
func (l *ledger) appendBarrier(b []byte) []byte {
	bar := &barrier{xid: l.nextXID(), covers: l.uncovered, behind: l.written}
	for _, c := range bar.covers {
		c.barrier = bar
		if !c.unattended {
			bar.live++
		}
	}
	l.uncovered = make([]*call, 0, len(bar.covers)) // there will be as many again
	l.barriers = append(l.barriers, bar)
	return openflow.AppendHeader(b, openflow.Header{
		Version: uint8(l.version), Type: openflow.TypeBarrierRequest,
		Length: openflow.HeaderLen, XID: bar.xid,
	})
}

// dropFirst removes the first n elements, in place.
func dropFirst(s []*call, n int) []*call {
	rest := copy(s, s[n:])
	clear(s[rest:])
	return s[:rest]
}
