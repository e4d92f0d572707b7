package ofgroup

import (
	"encoding/binary"
	"fmt"
	"iter"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// Action is one thing that a bucket does to a packet: an immutable value that holds
// its own encoding in OpenFlow 1.5. An action that cannot be (a value too big for its
// field, a port that no switch has) carries its fault into the bucket, and
// Group.Validate tells. The zero Action does nothing and is left out of buckets.
type Action struct {
	// The encoding, if it has room: numbers in network byte order, so that the usual
	// actions are made, handed on and written without a detour through bytes. The first
	// one tells the length.
	first, second, third uint64

	more *moreAction // nil for nearly every action
}

// moreAction is what few actions have. It stands apart so that the usual ones are small.
type moreAction struct {
	long  string // the encoding, if it has no room in the Action
	fault error

	inCT   bool  // it belongs within CT, and nowhere else
	only13 bool  // OpenFlow 1.5 does not have it: a load or a move, here or within
	depth  uint8 // how deep the actions within are nested
}

func faultyAction(err error) Action { return Action{more: &moreAction{fault: err}} }

// shortAction is the longest encoding that an Action holds within itself, so that the
// usual ones cost no memory of their own: set_field of 128 bits takes 24 bytes.
const shortAction = 24

// Every action starts with its type and its length, which is a multiple of 8; Open
// vSwitch's own then have its vendor number and a subtype. What is behind that stands in
// the file of each action.
const (
	actionAlign       = 8
	offActionLen      = 2
	offActionBody     = 4
	offNiciraSubtype  = 8
	niciraHeaderLen   = 10
	shortestActionLen = 8
	maxActionLen      = 0xfff8
)

// actionOf is the action with this encoding.
func actionOf[B string | []byte](enc B) Action {
	if len(enc) > shortAction {
		return Action{more: &moreAction{long: string(enc)}}
	}
	var b [shortAction]byte
	copy(b[:], enc)
	return Action{
		first:  binary.BigEndian.Uint64(b[:]),
		second: binary.BigEndian.Uint64(b[8:]),
		third:  binary.BigEndian.Uint64(b[16:]),
	}
}

// actionWith is actionOf with what an Action has to know of it.
func actionWith[B string | []byte](enc B, inCT, only13 bool, depth uint8) Action {
	a := actionOf(enc)
	if !inCT && !only13 && depth == 0 {
		return a
	}
	if a.more == nil {
		a.more = new(moreAction)
	}
	a.more.inCT, a.more.only13, a.more.depth = inCT, only13, depth
	return a
}

func badAction(rule error, format string, args ...any) Action {
	return faultyAction(fault{rule, fmt.Sprintf(format, args...)})
}

// Err is the fault that the action carries, nil if it is fine; Group.Validate tells it too.
func (a Action) Err() error { return a.err() }

func (a *Action) err() error {
	if a.more == nil {
		return nil
	}
	return a.more.fault
}

// rare is what few actions have, all zero for the others.
func (a *Action) rare() moreAction {
	if a.more == nil {
		return moreAction{}
	}
	return *a.more
}

// encoding is the encoding as a string.
func (a Action) encoding() string {
	if long := a.rare().long; long != "" {
		return long
	}
	var b [shortAction]byte
	a.put(&b)
	return string(b[:a.shortLen()])
}

// put writes a short encoding, and zeros behind it.
func (a *Action) put(b *[shortAction]byte) {
	binary.BigEndian.PutUint64(b[:], a.first)
	binary.BigEndian.PutUint64(b[8:], a.second)
	binary.BigEndian.PutUint64(b[16:], a.third)
}

// shortLen is the length of a short encoding.
func (a *Action) shortLen() int { return int(a.first >> 32 & 0xffff) }

func (a *Action) len() int {
	if long := a.rare().long; long != "" {
		return len(long)
	}
	return a.shortLen()
}

// OutputGroup sends the packet through another group. The switch takes a group that
// does not exist (the bucket then does nothing), and even a loop, which it finds only
// when a packet comes: it then drops the whole packet.
func OutputGroup(id ID) Action {
	if id > MaxID {
		return badAction(ErrAction, "output to group 0x%x, which is reserved", uint32(id))
	}
	return shortAction32(openflow.ActionGroup, uint32(id))
}

// AsOutputGroup is the group that the action sends to, if it is an OutputGroup.
func (a Action) AsOutputGroup() (ID, bool) {
	enc := a.encoding()
	if len(enc) != shortestActionLen || be16(enc) != openflow.ActionGroup {
		return 0, false
	}
	return ID(be32(enc[offActionBody:])), true
}

// RawAction is an action given as its encoding in OpenFlow 1.5, which is kept byte
// for byte and is not looked into. It must be exactly one action: type and length, and
// a length that is a multiple of 8 and that of b. It is cloned.
func RawAction(b []byte) Action {
	if n, err := actionLen(b); err != nil || n != len(b) {
		return badAction(ErrAction, "raw action of %d bytes is not one whole action", len(b))
	}
	return decodedAction(string(b))
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

// eachAction yields the actions of an encoded list one by one. It ends where the list is none:
// lists were checked (checkActions) before they came here.
func eachAction(list string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for list != "" {
			n, err := actionLen(list)
			if err != nil || !yield(list[:n]) {
				return
			}
			list = list[n:]
		}
	}
}

// checkActions reports whether s is a list of whole actions.
func checkActions(s string) error {
	for s != "" {
		n, err := actionLen(s)
		if err != nil {
			return err
		}
		s = s[n:]
	}
	return nil
}

// putActionHeader writes type and length of the action that fills b.
func putActionHeader(b []byte, typ uint16) {
	binary.BigEndian.PutUint16(b, typ)
	putActionLen(b)
}

func putActionLen(b []byte) {
	n, _ := openflow.Narrow[uint16](len(b))
	binary.BigEndian.PutUint16(b[offActionLen:], n)
}

// putNiciraHeader starts one of Open vSwitch's own actions.
func putNiciraHeader(b []byte, subtype uint16) {
	putActionHeader(b, openflow.ActionNicira)
	binary.BigEndian.PutUint32(b[offActionBody:], openflow.NiciraVendor)
	binary.BigEndian.PutUint16(b[offNiciraSubtype:], subtype)
}

// niciraAction0 is one of Open vSwitch's own actions that has nothing to say but its
// subtype.
func niciraAction0(subtype uint16) Action {
	var b [2 * actionAlign]byte
	putNiciraHeader(b[:], subtype)
	return actionOf(b[:])
}

// noSubtype is what niciraSubtype says of other actions. Open vSwitch has none of it.
const noSubtype = 0xffff

// niciraSubtype is the subtype of one of Open vSwitch's own actions.
func niciraSubtype(a string) uint16 {
	if len(a) < niciraHeaderLen || be16(a) != openflow.ActionNicira || be32(a[offActionBody:]) != openflow.NiciraVendor {
		return noSubtype
	}
	return be16(a[offNiciraSubtype:])
}
