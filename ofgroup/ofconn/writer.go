package ofconn

import (
	"fmt"
	"net"
	"sync"
	"time"
)

// keepBuffer is the largest buffer kept for the next batch; a larger one was a
// large group's and is let go.
const keepBuffer = 2 * maxBatch

// patience is half of how long a message is held, at the most, so that others go with it.
const patience = time.Millisecond

// writer writes batches to the connection, one at a time: the write loop does, or whoever has
// a message that is due while nobody writes, so that he need not wait for the loop to wake up.
type writer struct {
	conn   net.Conn
	direct *direct // for callers; nil where only the loop may write

	mu   sync.Mutex
	buf  []byte // to be used again
	rest []byte // of a batch, what the connection would not take at once: the loop's to write
}

// writeLoop writes what the ledger has in line, in as few writes as there are
// round trips to wait for, until the session ends. It watches the line, too.
func (s *Session) writeLoop() {
	look := time.NewTicker(patience)
	look.Stop()
	defer look.Stop()
	for {
		select {
		case <-s.ledger.wake:
		case <-look.C:
			if !s.ledger.look() {
				look.Stop()
			}
		case <-s.done:
			return
		}
		if err := s.writeAll(); err != nil {
			s.fail(err)
			return
		}
		if s.ledger.watch() {
			look.Reset(patience)
		}
	}
}

// writeAll writes everything that is due, however long the switch takes to take it.
func (s *Session) writeAll() error {
	w := &s.writer
	w.mu.Lock()
	defer w.mu.Unlock()
	if rest := w.rest; len(rest) > 0 {
		w.rest = nil
		if err := w.write(rest, s.cfg.DeadAfter); err != nil {
			return err
		}
	}
	for {
		b := s.take()
		if len(b.bytes) == 0 {
			return nil
		}
		if err := w.write(b.bytes, s.cfg.DeadAfter); err != nil {
			return err
		}
	}
}

// writeNow writes one batch as far as the switch takes it at once, and leaves what there is
// more, or all if somebody is writing, to the write loop. Its caller never waits.
func (s *Session) writeNow() {
	w := &s.writer
	if w.direct == nil || !w.mu.TryLock() {
		s.ledger.nudge()
		return
	}
	defer w.mu.Unlock()
	if len(w.rest) == 0 {
		b := s.take()
		w.rest = b.bytes[w.direct.write(b.bytes):]
		if len(w.rest) == 0 && len(b.bytes) < maxBatch {
			return
		}
	}
	s.ledger.nudge()
}

// take takes a batch from the ledger. The caller holds the writer's lock, and writes the
// batch before he takes another.
func (s *Session) take() batch {
	b := s.ledger.take(s.writer.buf)
	if s.writer.buf = b.bytes; cap(b.bytes) > keepBuffer {
		s.writer.buf = nil
	}
	if len(b.bytes) > 0 {
		s.stats.wrote(b)
	}
	return b
}

// write writes all of b or fails. After a part of it nothing can follow: the switch would
// read the next message's header inside this one.
func (w *writer) write(b []byte, within time.Duration) error {
	if err := w.conn.SetWriteDeadline(time.Now().Add(within)); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	if _, err := w.conn.Write(b); err != nil {
		if isTimeout(err) {
			err = fmt.Errorf("%w: %w", ErrDeadPeer, err)
		}
		return fmt.Errorf("write: %w", err)
	}
	if w.direct != nil { // which a deadline that has passed would keep from writing
		_ = w.conn.SetWriteDeadline(time.Time{})
	}
	return nil
}
