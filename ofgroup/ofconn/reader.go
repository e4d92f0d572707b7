package ofconn

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// newReader returns a reader whose buffer holds the largest message whole, so
// that it can be looked at in place.
func newReader(r io.Reader) *bufio.Reader { return bufio.NewReaderSize(r, openflow.MaxLen+1) }

// nextMessage returns the next whole message of the stream. It lies in r's
// buffer, and stays there to be discarded.
func nextMessage(r *bufio.Reader) (openflow.Header, []byte, error) {
	head, err := r.Peek(openflow.HeaderLen)
	if err != nil {
		return openflow.Header{}, nil, cutOff(err, len(head))
	}
	h, err := openflow.ParseHeader(head)
	if err != nil {
		return openflow.Header{}, nil, fmt.Errorf("%w: %w", ErrProtocol, err)
	}
	msg, err := r.Peek(int(h.Length))
	if err != nil {
		return openflow.Header{}, nil, cutOff(err, len(msg))
	}
	return h, msg, nil
}

// cutOff tells the end of the stream inside a message from its end between two.
func cutOff(err error, got int) error {
	if got > 0 && errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// readLoop reads until the session ends. Nothing in it waits for anybody, but for a caller who reads
// in its place.
func (s *Session) readLoop() {
	for {
		if err := s.readMessage(); err != nil {
			s.fail(err)
			return
		}
		s.lend()
	}
}

// readMessage reads one message and does with it whatever is to be done. An error ends the session,
// except that after a deadline nothing is lost and reading may go on.
func (s *Session) readMessage() error {
	h, msg, err := nextMessage(s.reader)
	if err != nil {
		return fmt.Errorf("read: %w", err)
	}
	s.heard.Store(int64(time.Since(s.born)))
	if err := s.receive(h, msg); err != nil {
		return err
	}
	_, _ = s.reader.Discard(len(msg)) // it is all there
	return nil
}

// receive takes one message, which is valid only until it returns. An error
// ends the session.
//
// To add a kind of message: a case here, and a method of the ledger if somebody
// waits for it.
func (s *Session) receive(h openflow.Header, msg []byte) error {
	switch h.Type {
	case openflow.TypeEchoRequest:
		s.answerEcho(h, msg)
		return nil
	case openflow.TypeEchoReply:
		return nil // that it came is all there is to know
	case openflow.TypeError:
		return s.receiveError(h, msg)
	}
	if h.Version != uint8(s.version) {
		s.stats.ignored.Add(1) // its types and layouts are others
		return nil
	}
	switch h.Type {
	case openflow.TypeBarrierReply:
		s.stats.matched(s.ledger.barrierReply(h.XID))
	case openflow.TypeMultipartReply:
		part, ok := parseMultipart(msg)
		s.stats.matched(ok && s.ledger.multipartReply(h.XID, part))
	case openflow.TypeRoleReply:
		s.stats.matched(s.ledger.reply(h, msg))
	default:
		if answer, ok := openflow.ParseBundleControl(msg); ok {
			s.stats.matched(s.ledger.bundleReply(h.XID, answer))
			return nil
		}
		taken, err := s.receiveEvent(h, msg)
		if !taken {
			s.stats.ignored.Add(1)
		}
		return err
	}
	return nil
}

// answerEcho sends the payload back under the same number (OpenFlow 1.5.1,
// 7.5.3); the switch would take anything else for silence.
func (s *Session) answerEcho(h openflow.Header, msg []byte) {
	if !s.ledger.enqueueEcho(openflow.TypeEchoReply, h.XID, msg[openflow.HeaderLen:]) {
		s.stats.ignored.Add(1)
	}
}

// receiveError gives an error to the call it is about. A refused hello, which
// can come when the switch counted versions differently, ends the session.
func (s *Session) receiveError(h openflow.Header, msg []byte) error {
	e, err := ofgroup.ParseSwitchError(msg)
	if err != nil {
		s.stats.matched(s.ledger.malformedError(h.XID, err))
		return nil
	}
	if refused, ok := helloRefused(e, []ofgroup.Version{s.version}); ok {
		return refused
	}
	matched, unattended := s.ledger.refuse(e)
	if unattended {
		s.packetOutRefused(e)
	}
	if matched {
		return nil
	}
	s.stats.unmatched.Add(1)
	s.cfg.lasting.log.log(slog.LevelWarn, "openflow error that nobody waits for", "xid", e.XID, "error", e)
	return nil
}

// isTimeout reports whether a deadline of ours ended the input or output.
func isTimeout(err error) bool { return errors.Is(err, os.ErrDeadlineExceeded) }
