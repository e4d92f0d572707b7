package ofconn

import (
	"encoding/binary"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// An NXT_PACKET_IN2 is the header, vendor, subtype, and properties of type,
// length and value, each padded to 8.
const (
	offVendor       = openflow.HeaderLen
	offSubtype      = 12
	experimenterLen = 16

	propHeaderLen = 4

	packetIn2Packet   = 0
	packetIn2FullLen  = 1 // only there if the packet was cut
	packetIn2Table    = 3
	packetIn2Cookie   = 4 // behind four bytes of padding
	packetIn2Reason   = 5
	packetIn2Metadata = 6 // match fields, not only the one of that name
	packetIn2UserData = 7
)

// isPacketIn2 reports whether msg, a whole message, is an NXT_PACKET_IN2, which
// ParsePacketIn takes beside those of type 10.
func isPacketIn2(msg []byte) bool {
	h, err := openflow.ParseHeader(msg)
	return err == nil && h.Type == openflow.TypeExperimenter && len(msg) >= experimenterLen &&
		binary.BigEndian.Uint32(msg[offVendor:]) == openflow.NiciraVendor &&
		binary.BigEndian.Uint32(msg[offSubtype:]) == openflow.NiciraPacketIn2
}

// parsePacketIn2 decodes an NXT_PACKET_IN2. The result's slices lie in msg.
func parsePacketIn2(msg []byte) (PacketIn, error) {
	if _, err := checkMessage(msg, openflow.TypeExperimenter, experimenterLen); err != nil {
		return PacketIn{}, err
	}
	p := PacketIn{InPort: ofgroup.PortAny, Cookie: NoCookie}
	cut := false
	for rest := msg[experimenterLen:]; len(rest) > 0; {
		typ, value, n, err := nextProp(rest)
		if err != nil {
			return PacketIn{}, err
		}
		if err := p.readProp(typ, value); err != nil {
			return PacketIn{}, err
		}
		cut = cut || typ == packetIn2FullLen
		rest = rest[n:]
	}
	switch {
	case p.Frame == nil:
		return PacketIn{}, malformed("packet-in without a packet")
	case !cut:
		p.TotalLen = uint32(len(p.Frame))
	}
	return p, nil
}

// nextProp takes one property off the start of b, and tells how many bytes it
// takes with its padding. Padding may be missing at the end of the message.
func nextProp(b []byte) (typ uint16, value []byte, n int, err error) {
	if len(b) < propHeaderLen {
		return 0, nil, 0, malformed("property header")
	}
	length := int(binary.BigEndian.Uint16(b[2:]))
	if length < propHeaderLen || length > len(b) {
		return 0, nil, 0, malformed("property length")
	}
	return binary.BigEndian.Uint16(b), b[propHeaderLen:length], min(align(length), len(b)), nil
}

// readProp takes what a PacketIn has from one property.
func (p *PacketIn) readProp(typ uint16, value []byte) error {
	const cookiePad, cookieLen = 4, 12
	switch typ {
	case packetIn2Packet:
		p.Frame = value
	case packetIn2FullLen:
		if len(value) != 4 {
			return malformed("length of the packet's length")
		}
		p.TotalLen = binary.BigEndian.Uint32(value)
	case packetIn2Table, packetIn2Reason:
		if len(value) != 1 {
			return malformed("length of table or reason")
		}
		if typ == packetIn2Table {
			p.Table = value[0]
		} else {
			p.Reason = PacketInReason(value[0])
		}
	case packetIn2Cookie:
		if len(value) != cookieLen {
			return malformed("length of the cookie")
		}
		p.Cookie = binary.BigEndian.Uint64(value[cookiePad:])
	case packetIn2Metadata:
		return p.readFields(value)
	case packetIn2UserData:
		p.UserData = value
	}
	return nil
}
