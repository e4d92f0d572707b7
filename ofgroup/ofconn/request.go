package ofconn

import (
	"context"
	"fmt"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// SendMessage writes one message to which the switch has no answer of its own,
// such as a FlowMod or a MeterMod, and returns when the switch has confirmed or
// refused it, as Send does. A refusal is an *ofgroup.SwitchError of whatever
// type.
func (s *Session) SendMessage(ctx context.Context, m Message) (ofgroup.Receipt, error) {
	if m == nil {
		return ofgroup.Receipt{}, unwritten(ErrNoMessage)
	}
	msg, err := m.AppendMessage(nil, s.version)
	if err != nil {
		return ofgroup.Receipt{}, ofgroup.NotSent(err)
	}
	c := newCall(msg, openflow.TypeBarrierReply)
	if err = s.do(ctx, c); err == nil {
		err = s.keep(m)
	}
	return ofgroup.Receipt{XID: c.xid, Confirmed: err == nil}, err
}

// keep has the connections to come treated as m asked for this one. It fails if the
// session has ended meanwhile: then the next one may have been set up already.
func (s *Session) keep(m Message) error {
	if _, ok := m.(setting); !ok {
		return nil
	}
	s.cfg.lasting.settings.keep(m)
	return s.Err()
}

// Role asks for a role, or only for the one the connection has. A refusal
// because of an old generation is told by IsStale.
func (s *Session) Role(ctx context.Context, r RoleRequest) (RoleReply, error) {
	msg, err := r.AppendMessage(nil, s.version)
	if err != nil {
		return RoleReply{}, ofgroup.NotSent(err)
	}
	c := newCall(msg, openflow.TypeRoleReply)
	if err := s.do(ctx, c); err != nil {
		return RoleReply{}, fmt.Errorf("role: %w", err)
	}
	s.cfg.lasting.settings.keepRole(r.Role)
	return ParseRoleReply(c.reply)
}

// Ports describes every port the switch has. News of a port that the switch
// sent before its answer may be delivered after Ports returns.
func (s *Session) Ports(ctx context.Context) ([]PortDesc, error) {
	body, err := s.ask(ctx, "ports", openflow.MultipartPortDesc, PortDescRequest{})
	if err != nil {
		return nil, err
	}
	return ParsePortDescs(s.version, body)
}
