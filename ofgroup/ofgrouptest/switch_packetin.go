package ofgrouptest

import (
	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// PacketIn is a packet for a controller (section 7.4.1). Its zero value but for Frame is one
// that no flow caught, from port 0.
type PacketIn struct {
	InPort ofgroup.Port
	Frame  []byte
	Table  uint8
	Cookie uint64 // of the flow that caught it
	Reason uint8  // OFPR_*: 0 no flow, 1 an action, 3 an action set, 4 a group

	// ControllerID is that of the connections it is for. UserData is what the action
	// carried; only NXT_PACKET_IN2 has a place for it.
	ControllerID uint16
	UserData     []byte
}

// PacketIn sends a packet to every connection that would get it from a real switch: one that
// has set a miss_send_len, wants packets of this reason and has this controller ID. Each gets
// it in the form it has set. The result is their number. Like Send, it waits for controllers
// that do not read.
func (s *Switch) PacketIn(p PacketIn) int {
	s.mu.Lock()
	to := s.wanting(asyncPacketIn, p.Reason)
	var messages [][]byte
	n := 0
	for _, c := range to {
		if c.controllerID == p.ControllerID {
			to[n] = c
			messages = append(messages, p.message(c.format))
			n++
		}
	}
	s.mu.Unlock()
	for i, m := range messages {
		to[i].enqueue(outgoing{bytes: m})
	}
	return n
}

func (p PacketIn) message(format uint32) []byte {
	if format == formatPacketIn2 {
		return p.packetIn2()
	}
	return p.standard()
}

// standard is an OFPT_PACKET_IN.
func (p PacketIn) standard() []byte {
	body := be.AppendUint32(nil, noBuffer)
	body = be.AppendUint16(body, uint16(len(p.Frame)&openflow.MaxLen))
	body = append(body, p.Reason, p.Table)
	body = be.AppendUint64(body, p.Cookie)
	body = append(body, 0, 1, 0, 12) // a match of one field
	body = append(body, p.fields()...)
	body = append(body, 0, 0, 0, 0, 0, 0) // to whole words, and two before the frame
	return message(openflow.Version15, openflow.TypePacketIn, 0, append(body, p.Frame...))
}

func (p PacketIn) fields() []byte {
	f := setFields[fieldInPort]
	return be.AppendUint32(be.AppendUint32(nil, uint32(f.header(false))), uint32(p.InPort))
}

// Properties of an NXT_PACKET_IN2.
const (
	niciraPacketIn2 = 30

	packetPacket   = 0
	packetTable    = 3
	packetCookie   = 4
	packetReason   = 5
	packetMetadata = 6
	packetUserData = 7
)

// packetIn2 is an NXT_PACKET_IN2.
func (p PacketIn) packetIn2() []byte {
	body := be.AppendUint32(nil, openflow.NiciraVendor)
	body = be.AppendUint32(body, niciraPacketIn2)
	body = appendPacketProp(body, packetPacket, p.Frame)
	body = appendPacketProp(body, packetTable, []byte{p.Table})
	body = appendPacketProp(body, packetCookie, be.AppendUint64(make([]byte, 4), p.Cookie))
	body = appendPacketProp(body, packetReason, []byte{p.Reason})
	body = appendPacketProp(body, packetMetadata, p.fields())
	if len(p.UserData) > 0 {
		body = appendPacketProp(body, packetUserData, p.UserData)
	}
	return message(openflow.Version15, openflow.TypeExperimenter, 0, body)
}

func appendPacketProp(b []byte, kind uint16, value []byte) []byte {
	n := 4 + len(value)
	b = be.AppendUint16(b, kind)
	b = be.AppendUint16(b, uint16(n&openflow.MaxLen))
	b = append(b, value...)
	return append(b, make([]byte, -n&7)...)
}
