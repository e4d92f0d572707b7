package ofconn

import (
	"encoding/binary"
	"fmt"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// PacketOut has the switch send a frame (OpenFlow 1.5.1, 7.3.6). Send to ports
// or through a group: a frame that runs through the tables (PortTable) can be
// caught by the flows that make packet-ins, and come back.
type PacketOut struct {
	// InPort is the port the frame is taken to have come in by, to which a group
	// then does not send it. 0 is PortController: none of the switch's.
	InPort ofgroup.Port

	// Actions are done with the frame; none does nothing.
	Actions []ofgroup.Action

	// Frame is the whole Ethernet frame, which goes out byte for byte as it is
	// (with padding to the smallest frame where the port needs it). It may not be
	// changed while the message is encoded.
	Frame []byte
}

// Where the length of the actions stands, from the message's start.
const (
	offPacketOutActionsLen15 = 12
	offPacketOutActionsLen13 = 16
)

// AppendMessage appends the message; see Message.
func (m PacketOut) AppendMessage(b []byte, v ofgroup.Version) ([]byte, error) {
	in := m.InPort
	if in == 0 {
		in = ofgroup.PortController
	}
	start := len(b)
	return appendMessage(b, v, openflow.TypePacketOut, func(b []byte) ([]byte, error) {
		b = binary.BigEndian.AppendUint32(b, noBuffer)
		offActionsLen := offPacketOutActionsLen15
		if v == ofgroup.OpenFlow13 {
			offActionsLen = offPacketOutActionsLen13
			b = binary.BigEndian.AppendUint32(b, uint32(in))
			b = appendZeros(b, 2+6) // the length of the actions, padding
		} else {
			b = appendInPort(appendZeros(b, 2+2), in)
		}
		before := len(b)
		b, err := appendActions(b, v, m.Actions)
		if err != nil {
			return nil, fmt.Errorf("ofconn: packet-out: %w", err)
		}
		if err := putLength(b[start:], offActionsLen, len(b)-before); err != nil {
			return nil, err
		}
		return append(b, m.Frame...), nil
	})
}

// appendInPort appends a match of one field, the port.
func appendInPort(b []byte, in ofgroup.Port) []byte {
	const oxmType, length = 1, matchHeaderLen + openflow.OXMHeaderLen + 4
	b = binary.BigEndian.AppendUint16(b, oxmType)
	b = binary.BigEndian.AppendUint16(b, length)
	b = binary.BigEndian.AppendUint32(b, uint32(inPortField))
	b = binary.BigEndian.AppendUint32(b, uint32(in))
	return appendZeros(b, align(length)-length)
}
