package ofconn

import (
	"time"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// receiveEvent passes on what the switch told of its own accord. It returns
// false if that is of no use here. An error ends the session.
//
// To add a kind of event: a case here, a handler in Events, a case in
// inbox.deliver, and what asks the switch for it in Events.settings.
func (s *Session) receiveEvent(h openflow.Header, msg []byte) (bool, error) {
	e := &s.cfg.Events
	switch {
	case h.Type == openflow.TypePacketIn || IsPacketIn2(msg):
		if e.PacketIn != nil {
			s.receivePacketIn(msg)
			return true, nil
		}
	case h.Type == openflow.TypePortStatus && e.PortStatus != nil:
		p, err := ParsePortStatus(msg)
		return true, s.receiveNews(p, err)
	case h.Type == openflow.TypeFlowRemoved && e.FlowRemoved != nil:
		f, err := ParseFlowRemoved(msg)
		return true, s.receiveNews(f, err)
	}
	return false, nil
}

// receivePacketIn keeps nothing of msg: a decoded packet-in owns its memory.
func (s *Session) receivePacketIn(msg []byte) {
	p, err := ParsePacketIn(msg)
	if err != nil {
		s.inbox.malformed()
		return
	}
	s.inbox.packet(&p, time.Now())
}

// receiveNews passes on what must not be lost.
func (s *Session) receiveNews(what any, err error) error {
	if err != nil {
		s.inbox.malformed()
		return nil
	}
	if !s.inbox.news(what, time.Now()) {
		return ErrOverrun
	}
	return nil
}

// packetOutRefused tells of a refusal that no call waits for.
func (s *Session) packetOutRefused(e *ofgroup.SwitchError) {
	s.inbox.packetOutRefused()
	if s.cfg.Events.PacketOutRefused != nil {
		s.inbox.news(e, time.Now())
	}
}

// EventStats counts what became of events since Open, or since New for the
// session of a Conn.
func (s *Session) EventStats() EventStats { return s.inbox.snapshot() }
