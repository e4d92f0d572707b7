package ofconn

import (
	"fmt"

	"github.com/ofmcast/ofmcast/ofgroup"
)

// PacketIn is a packet that the switch handed to us. It owns its memory.
type PacketIn struct {
	InPort   ofgroup.Port   // where it came in; PortAny if the switch did not say
	Table    uint8          // the table of the flow that sent it
	Reason   PacketInReason // why it was sent
	Cookie   uint64         // of that flow; NoCookie if the switch did not say
	Metadata uint64         // what flows had set in the field Metadata
	Regs     [16]uint32     // what they had set in ofgroup.Reg(0) to Reg(15)

	// UserData is that of the flow's controller action. Only NXT_PACKET_IN2
	// carries it; see PacketInFormat.
	UserData []byte

	Frame    []byte // the Ethernet frame, without its check sequence
	TotalLen uint32 // how long it was before the switch cut it, if it did
}

// NoCookie is the cookie of a packet-in whose flow is not known.
const NoCookie = ^uint64(0)

// Truncated reports whether Frame is only the start of the packet. What a
// protocol says further behind is then not known.
func (p *PacketIn) Truncated() bool { return uint64(p.TotalLen) > uint64(len(p.Frame)) }

// PacketInReason is why the switch sent a packet (OpenFlow 1.5.1, 7.4.1).
type PacketInReason uint8

const (
	ReasonNoMatch    PacketInReason = 0 // the flow for what no other matches
	ReasonAction     PacketInReason = 1 // in 1.3 also what 1.5 tells apart below
	ReasonInvalidTTL PacketInReason = 2 // it cannot be made less
	ReasonActionSet  PacketInReason = 3 // an output in an action set
	ReasonGroup      PacketInReason = 4 // a controller action in a bucket
	ReasonPacketOut  PacketInReason = 5 // a controller action of a PacketOut
)

// String is ovs-ofctl's word for the reason.
func (r PacketInReason) String() string {
	words := [...]string{"no_match", "action", "invalid_ttl", "action_set", "group", "packet_out"}
	if int(r) < len(words) {
		return words[r]
	}
	return fmt.Sprintf("PacketInReason(0x%x)", uint8(r))
}

// ParsePacketIn decodes a whole OFPT_PACKET_IN or NXT_PACKET_IN2 of either
// version. Match fields and properties that are not known here are passed over
// by their length. The error matches ofgroup.ErrMalformed. One allocation holds
// all that is kept of msg.
func ParsePacketIn(msg []byte) (PacketIn, error) {
	parse := parseStandardPacketIn
	if isPacketIn2(msg) {
		parse = parsePacketIn2
	}
	p, err := parse(msg)
	if err != nil {
		return PacketIn{}, err
	}
	return p.owned(), nil
}

// owned is p with slices of its own. Those that the parsers return lie in the
// message, which lies in a buffer that is used again.
func (p PacketIn) owned() PacketIn {
	n := len(p.Frame)
	mem := make([]byte, n+len(p.UserData))
	copy(mem, p.Frame)
	copy(mem[n:], p.UserData)
	p.Frame = mem[:n:n]
	if p.UserData != nil {
		p.UserData = mem[n:]
	}
	return p
}
