package ofconn

import (
	"context"

	"github.com/ofmcast/ofmcast/ofgroup"
)

// The methods below are the live session's. None of them waits for a
// connection: without one they fail at once, with Session's error.

// Send is Session.Send.
func (c *Conn) Send(ctx context.Context, m *ofgroup.Mod) (ofgroup.Receipt, error) {
	s, err := c.Session()
	if err != nil {
		return ofgroup.Receipt{}, err
	}
	return s.Send(ctx, m)
}

// SendMessage is Session.SendMessage.
func (c *Conn) SendMessage(ctx context.Context, m Message) (ofgroup.Receipt, error) {
	s, err := c.Session()
	if err != nil {
		return ofgroup.Receipt{}, err
	}
	return s.SendMessage(ctx, m)
}

// PacketOut is Session.PacketOut.
func (c *Conn) PacketOut(ctx context.Context, m PacketOut) (ofgroup.Receipt, error) {
	s, err := c.Session()
	if err != nil {
		return ofgroup.Receipt{}, err
	}
	return s.PacketOut(ctx, m)
}

// Barrier is Session.Barrier.
func (c *Conn) Barrier(ctx context.Context) error {
	s, err := c.Session()
	if err != nil {
		return err
	}
	return s.Barrier(ctx)
}

// GroupDesc is Session.GroupDesc.
func (c *Conn) GroupDesc(ctx context.Context, id ofgroup.ID) (ofgroup.Group, bool, error) {
	s, err := c.Session()
	if err != nil {
		return ofgroup.Group{}, false, err
	}
	return s.GroupDesc(ctx, id)
}

// Ports is Session.Ports.
func (c *Conn) Ports(ctx context.Context) ([]PortDesc, error) {
	return onSession(c, func(s *Session) ([]PortDesc, error) { return s.Ports(ctx) })
}
