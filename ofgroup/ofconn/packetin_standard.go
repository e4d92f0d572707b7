package ofconn

import (
	"encoding/binary"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// Offsets within an OFPT_PACKET_IN (OpenFlow 1.5.1, 7.4.1, the same in 1.3). The
// match has its length without its padding; two more bytes of padding and the
// frame follow.
const (
	offPacketInTotal  = 12
	offPacketInReason = 14
	offPacketInTable  = 15
	offPacketInCookie = 16
	offPacketInMatch  = 24
	packetInPad       = 2
	packetInLen       = 32 // with an empty match
	matchHeaderLen    = 4
)

// parseStandardPacketIn decodes an OFPT_PACKET_IN. The result's slices lie in msg.
func parseStandardPacketIn(msg []byte) (PacketIn, error) {
	if _, err := checkMessage(msg, openflow.TypePacketIn, packetInLen); err != nil {
		return PacketIn{}, err
	}
	fields, frame, err := splitMatch(msg[offPacketInMatch:])
	if err != nil {
		return PacketIn{}, err
	}
	if len(frame) < packetInPad {
		return PacketIn{}, malformed("packet-in without its padding")
	}
	p := PacketIn{
		InPort:   ofgroup.PortAny,
		Table:    msg[offPacketInTable],
		Reason:   PacketInReason(msg[offPacketInReason]),
		Cookie:   binary.BigEndian.Uint64(msg[offPacketInCookie:]),
		TotalLen: uint32(binary.BigEndian.Uint16(msg[offPacketInTotal:])),
		Frame:    frame[packetInPad:],
	}
	if err := p.readFields(fields); err != nil {
		return PacketIn{}, err
	}
	return p, nil
}

// splitMatch takes the match off the start of b: its fields, and what follows
// its padding.
func splitMatch(b []byte) (fields, rest []byte, err error) {
	if len(b) < matchHeaderLen {
		return nil, nil, malformed("match header")
	}
	n := int(binary.BigEndian.Uint16(b[2:]))
	if n < matchHeaderLen || align(n) > len(b) {
		return nil, nil, malformed("match length")
	}
	return b[matchHeaderLen:n], b[align(n):], nil
}
