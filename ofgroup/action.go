package ofgroup

import (
	"encoding/binary"
	"fmt"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// Action is one thing that a bucket does to a packet: an immutable value that holds
// its own encoding in OpenFlow 1.5. An action that cannot be (a value too big for its
// field, a port that no switch has) carries its fault into the bucket, and
// Group.Validate tells. The zero Action does nothing and is left out of buckets.
type Action struct {
	short [shortAction]byte // the encoding, if it has room
	n     uint8             // its length there
	long  string            // the encoding otherwise
	fault error
}

// shortAction is the longest encoding that an Action holds within itself, so that the
// usual ones cost no memory of their own: set_field of 128 bits takes 24 bytes.
const shortAction = 24

// Every action starts with its type and its length, which is a multiple of 8. Output has
// the port and how much of the packet a controller gets; group has the group; Open
// vSwitch's own actions have its vendor number and a subtype; resubmit then port and table.
const (
	actionAlign       = 8
	offActionLen      = 2
	offActionBody     = 4
	offOutputMaxLen   = 8
	offNiciraSubtype  = 8
	offResubmitPort   = 10
	offResubmitTable  = 12
	outputLen         = 16
	shortestActionLen = 8
	resubmitLen       = 16
)

// actionOf is the action with this encoding.
func actionOf[B string | []byte](enc B) Action {
	if len(enc) > shortAction {
		return Action{long: string(enc)}
	}
	a := Action{n: uint8(len(enc))}
	copy(a.short[:], enc)
	return a
}

func badAction(rule error, format string, args ...any) Action {
	return Action{fault: fault{rule, fmt.Sprintf(format, args...)}}
}

// encoding is the encoding as a string.
func (a *Action) encoding() string {
	if a.long != "" {
		return a.long
	}
	return string(a.short[:a.n])
}

func (a *Action) len() int {
	if a.long != "" {
		return len(a.long)
	}
	return int(a.n)
}

// Output sends the packet to a port. A packet is never sent back to the port it came
// in by, except with PortIn. PortController sends it whole, as a packet-in.
func Output(p Port) Action {
	if !p.usable() {
		return badAction(ErrAction, "output to port 0x%x, which cannot be", uint32(p))
	}
	var b [outputLen]byte
	putActionHeader(b[:], openflow.ActionOutput)
	binary.BigEndian.PutUint32(b[offActionBody:], uint32(p))
	if p == PortController {
		const wholePacket = 0xffff
		binary.BigEndian.PutUint16(b[offOutputMaxLen:], wholePacket)
	}
	return actionOf(b[:])
}

// OutputGroup sends the packet through another group. The switch takes a group that
// does not exist (the bucket then does nothing), and even a loop, which it finds only
// when a packet comes: it then drops the whole packet.
func OutputGroup(id ID) Action {
	if id > MaxID {
		return badAction(ErrAction, "output to group 0x%x, which is reserved", uint32(id))
	}
	var b [shortestActionLen]byte
	putActionHeader(b[:], openflow.ActionGroup)
	binary.BigEndian.PutUint32(b[offActionBody:], uint32(id))
	return actionOf(b[:])
}

// Resubmit looks the packet up in a flow table and runs what it finds there, then
// goes on with the bucket. It is Open vSwitch's own action. Table 255 is the table
// the packet is in.
func Resubmit(table uint8) Action { return ResubmitPort(PortIn, table) }

// ResubmitPort is Resubmit with the packet taken to have come in by p.
func ResubmitPort(p Port, table uint8) Action {
	if !p.usable() {
		return badAction(ErrAction, "resubmit from port 0x%x, which cannot be", uint32(p))
	}
	var b [resubmitLen]byte
	putNiciraHeader(b[:], openflow.NiciraResubmitTable)
	binary.BigEndian.PutUint16(b[offResubmitPort:], p.short())
	b[offResubmitTable] = table
	return actionOf(b[:])
}

// RawAction is an action given as its encoding in OpenFlow 1.5, which is kept byte
// for byte and is not looked into. It must be exactly one action: type and length, and
// a length that is a multiple of 8 and that of b. It is cloned.
func RawAction(b []byte) Action {
	if n, err := actionLen(b); err != nil || n != len(b) {
		return badAction(ErrAction, "raw action of %d bytes is not one whole action", len(b))
	}
	return actionOf(b)
}

// actionLen is the length of the action that b starts with, checked against b.
func actionLen[B string | []byte](b B) (int, error) {
	if len(b) < shortestActionLen {
		return 0, errActionLen
	}
	n := int(b[offActionLen])<<8 | int(b[offActionLen+1])
	if n < shortestActionLen || n%actionAlign != 0 || n > len(b) {
		return 0, errActionLen
	}
	return n, nil
}

// putActionHeader writes type and length of the action that fills b.
func putActionHeader(b []byte, typ uint16) {
	binary.BigEndian.PutUint16(b, typ)
	n, _ := openflow.Narrow[uint16](len(b))
	binary.BigEndian.PutUint16(b[offActionLen:], n)
}

// putNiciraHeader starts one of Open vSwitch's own actions.
func putNiciraHeader(b []byte, subtype uint16) {
	putActionHeader(b, openflow.ActionNicira)
	binary.BigEndian.PutUint32(b[offActionBody:], openflow.NiciraVendor)
	binary.BigEndian.PutUint16(b[offNiciraSubtype:], subtype)
}
