package ofgroup

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// An output has the port and how much of the packet a controller gets. The two of Open
// vSwitch's own have a field, or a port of 16 bits, in place of the port.
const (
	outputLen       = 16
	offOutputMaxLen = 8

	outputFieldLen       = 24
	offOutputFieldWhere  = 10
	offOutputField       = 12
	offOutputFieldMaxLen = 16
	offOutputFieldPad    = 18

	outputTruncLen       = 16
	offOutputTruncPort   = 10
	offOutputTruncMaxLen = 12
	minTrunc             = 14 // an Ethernet header
)

// Output sends the packet to a port. A packet is never sent back to the port it came
// in by, except with PortIn. PortController sends it whole, as a packet-in.
func Output(p Port) Action {
	switch {
	case p == PortController:
		return output(p, wholePacket)
	case !p.usable():
		return badPort("output to", p)
	}
	return output(p, 0)
}

func output(p Port, maxLen uint16) Action {
	return Action{
		first:  openflow.ActionOutput<<48 | outputLen<<32 | uint64(p),
		second: uint64(maxLen) << 48,
	}
}

// plainOutput is the port of an Output, if it takes whole packets anyway and has a short
// form.
func (a *Action) plainOutput() (Port, bool) {
	p := Port(a.first & math.MaxUint32)
	return p, a.first>>32 == outputLen && a.second == 0 && a.more == nil && portOf(p.short()) == p
}

func badPort(what string, p Port) Action {
	return badAction(ErrAction, "%s port 0x%x, which cannot be", what, uint32(p))
}

// OutputField sends the packet to the port whose number is in f, a field or a part of one
// of at most 64 bits. If that is PortController it gets maxLen bytes of the packet, and
// all of it with 0xffff; ovs-ofctl has no words for another number, so String then gives
// the bytes. It is Open vSwitch's own action.
func OutputField(f Field, maxLen uint16) Action {
	where, err := f.where()
	if err != nil {
		return faultyAction(err)
	}
	var b [outputFieldLen]byte
	putNiciraHeader(b[:], openflow.NiciraOutputReg)
	binary.BigEndian.PutUint16(b[offOutputFieldWhere:], where)
	binary.BigEndian.PutUint32(b[offOutputField:], uint32(f.info().nxm))
	binary.BigEndian.PutUint16(b[offOutputFieldMaxLen:], maxLen)
	return actionOf(b[:])
}

// OutputTruncated sends the first maxLen bytes of the packet, at least 14, to a port. The
// reserved ports other than PortIn and PortLocal are refused, as ovs-ofctl refuses them;
// the switch takes them and sends whole packets. It is Open vSwitch's own action.
func OutputTruncated(p Port, maxLen uint32) Action {
	switch {
	case p >= endOfPorts && p != PortIn && p != PortLocal:
		return badAction(ErrAction, "truncated output to port %v", p)
	case maxLen < minTrunc:
		return badAction(ErrAction, "truncated output of %d bytes, fewer than %d", maxLen, minTrunc)
	}
	var b [outputTruncLen]byte
	putNiciraHeader(b[:], openflow.NiciraOutputTrunc)
	binary.BigEndian.PutUint16(b[offOutputTruncPort:], p.short())
	binary.BigEndian.PutUint32(b[offOutputTruncMaxLen:], maxLen)
	return actionOf(b[:])
}

// AsOutput is the port that the action sends to, if it is an Output, or a Controller that
// is one.
func (a Action) AsOutput() (Port, bool) {
	enc := a.encoding()
	if len(enc) != outputLen || be16(enc) != openflow.ActionOutput {
		return 0, false
	}
	return Port(be32(enc[offActionBody:])), true
}

func outputText(a string) (string, bool) {
	if len(a) != outputLen || !zeros(a[offOutputMaxLen+2:]) {
		return "", false
	}
	p, maxLen := Port(be32(a[offActionBody:])), be16(a[offOutputMaxLen:])
	switch {
	case p == PortController:
		return "CONTROLLER:" + strconv.Itoa(int(maxLen)), true
	case p >= PortIn:
		return p.String(), maxLen == 0
	default:
		return "output:" + p.String(), maxLen == 0
	}
}

func outputFieldText(a string) (string, bool) {
	if len(a) != outputFieldLen || be16(a[offOutputFieldMaxLen:]) != wholePacket || !zeros(a[offOutputFieldPad:]) {
		return "", false
	}
	f, ok := fieldWhere(a[offOutputField:], be16(a[offOutputFieldWhere:]))
	return "output:" + f, ok
}

func outputTruncText(a string) (string, bool) {
	if len(a) != outputTruncLen {
		return "", false
	}
	p := portOf(be16(a[offOutputTruncPort:]))
	return "output(port=" + p.String() + ",max_len=" + u32Text(a[offOutputTruncMaxLen:]) + ")", true
}
