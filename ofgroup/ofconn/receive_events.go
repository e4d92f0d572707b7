package ofconn

import (
	"log/slog"
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
	case h.Type == openflow.TypePacketIn || isPacketIn2(msg):
		if e.PacketIn != nil {
			s.receivePacketIn(msg)
			return true, nil
		}
	case h.Type == openflow.TypePortStatus && e.PortStatus != nil:
		p, err := ParsePortStatus(msg)
		return true, s.receiveNews(msg, p, err)
	case h.Type == openflow.TypeFlowRemoved && e.FlowRemoved != nil:
		f, err := ParseFlowRemoved(msg)
		return true, s.receiveNews(msg, f, err)
	case is(msg, openflow.TypeRoleStatus, openflow.ONFRoleStatus):
		r, err := ParseRoleStatus(msg)
		return true, s.receiveRole(msg, r, err)
	case is(msg, openflow.TypeRequestForward, openflow.ONFRequestForward) && e.RequestForward != nil:
		f, err := parseRequestForward(msg)
		return true, s.receiveNews(msg, f, err)
	}
	return false, nil
}

// is reports whether msg is of this kind, in either version.
func is(msg []byte, typ uint8, subtype uint32) bool {
	_, ok := extended(msg, typ, subtype)
	return ok
}

// receivePacketIn keeps nothing of msg: a decoded packet-in owns its memory.
func (s *Session) receivePacketIn(msg []byte) {
	p, err := ParsePacketIn(msg)
	if err != nil {
		s.inbox.malformed()
		return
	}
	s.inbox.packet(&p, arrival{&p, time.Now(), len(msg)})
}

// receiveNews passes on what must not be lost.
func (s *Session) receiveNews(msg []byte, what any, err error) error {
	if err != nil {
		s.inbox.malformed()
		return nil
	}
	if !s.inbox.news(arrival{what, time.Now(), len(msg)}) {
		return ErrOverrun
	}
	return nil
}

// receiveRole tells people, too: from now on the switch may refuse every change.
func (s *Session) receiveRole(msg []byte, r RoleStatus, err error) error {
	if err == nil {
		s.cfg.lasting.log.log(slog.LevelWarn, "openflow role changed by somebody else",
			"role", r.Role, "reason", r.Reason, "generation", r.Generation)
	}
	if s.cfg.Events.RoleStatus == nil {
		return nil
	}
	return s.receiveNews(msg, r, err)
}

// packetOutRefused tells of a refusal that no call waits for.
func (s *Session) packetOutRefused(e *ofgroup.SwitchError) {
	s.inbox.packetOutRefused()
	if s.cfg.Events.PacketOutRefused != nil {
		s.inbox.news(arrival{e, time.Now(), len(e.Data)})
	}
}

// EventStats counts what became of events since Open, or since New for the
// session of a Conn.
func (s *Session) EventStats() EventStats { return s.inbox.snapshot() }
