package ofconn

import (
	"context"
	"fmt"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// PacketOut has the switch send a frame and waits for nothing: its receipt is
// not Confirmed. If the switch refuses the packet-out, it is counted
// (EventStats.PacketOutsRefused) and Events.PacketOutRefused is called, with
// the receipt's XID. What the session had not written when it ended is lost. It
// fails with ErrBusy when the switch is more than 1,024 packet-outs behind.
//
// Who has to know, such as whoever asks hosts whether they still listen, sends
// the PacketOut by SendMessage.
func (s *Session) PacketOut(ctx context.Context, m PacketOut) (ofgroup.Receipt, error) {
	if err := ctx.Err(); err != nil {
		return ofgroup.Receipt{}, unwritten(err)
	}
	msg, err := m.AppendMessage(nil, s.version)
	if err != nil {
		return ofgroup.Receipt{}, ofgroup.NotSent(err)
	}
	c := newCall(msg, openflow.TypeBarrierReply)
	c.unattended = true
	if err := s.enqueue(c); err != nil {
		return ofgroup.Receipt{}, ofgroup.NotSent(fmt.Errorf("packet-out: %w", err))
	}
	return ofgroup.Receipt{XID: c.xid}, nil
}
