package ofconn

import (
	"fmt"
	"time"
)

// keepBuffer is the largest buffer kept for the next batch; a larger one was a
// large group's and is let go.
const keepBuffer = 2 * maxBatch

// patience is half of how long a message is held, at the most, so that others go with it.
const patience = time.Millisecond

// writeLoop writes what the ledger has in line, in as few writes as there are
// round trips to wait for, until the session ends. It watches the line, too.
func (s *Session) writeLoop() {
	var buf []byte
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
		for {
			b := s.ledger.take(buf)
			if len(b.bytes) == 0 {
				break
			}
			if err := s.write(b); err != nil {
				s.fail(err)
				return
			}
			if buf = b.bytes; cap(buf) > keepBuffer {
				buf = nil
			}
		}
		if s.ledger.watch() {
			look.Reset(patience)
		}
	}
}

// write writes a whole batch or fails. After a part of it nothing can follow:
// the switch would read the next message's header inside this one.
func (s *Session) write(b batch) error {
	if err := s.conn.SetWriteDeadline(time.Now().Add(s.cfg.DeadAfter)); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	s.stats.wrote(b)
	if _, err := s.conn.Write(b.bytes); err != nil {
		if isTimeout(err) {
			err = fmt.Errorf("%w: %w", ErrDeadPeer, err)
		}
		return fmt.Errorf("write: %w", err)
	}
	return nil
}
