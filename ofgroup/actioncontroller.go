package ofgroup

import (
	"encoding/binary"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// PacketInAction says how Controller hands a packet to a controller. Its zero value does
// what Output(PortController) does.
type PacketInAction struct {
	// ID is the one controller to get the packet; 0 is every controller that has not
	// taken an ID of its own, so whoever else is attached to the switch gets it too.
	ID uint16
	// MaxLen is how many bytes of the packet at most; 0 is all of it.
	MaxLen uint16
	// Reason is what the packet-in gives as its reason.
	Reason PacketInReason
	// UserData comes back as it is in an NXT_PACKET_IN2, and in no other form of
	// packet-in, so a flow can say what it caught. At most MaxUserData bytes.
	UserData []byte
	// Pause holds the packet back: the packet-in, in the form of NXT_PACKET_IN2, has what
	// the controller needs to have the switch go on with it (NXT_RESUME).
	Pause bool
	// Meter limits the rate of these packet-ins; 0 is none. It needs no meter to be there.
	Meter uint32
}

// PacketInReason is why a packet-in was sent. The zero value is the usual one, because an
// action said so; the numbers are not those of the wire, and so not those of ofconn's
// type of this name, whose values must not be converted.
type PacketInReason uint8

// The reasons of OpenFlow 1.5.1, 7.4.1.
const (
	ReasonAction PacketInReason = iota
	ReasonNoMatch
	ReasonInvalidTTL
	ReasonActionSet
	ReasonGroup
	ReasonPacketOut
)

// wire is the number in messages, in which the first two are the other way round. It is
// its own inverse.
func (r PacketInReason) wire() uint8 {
	if r <= ReasonNoMatch {
		return uint8(r ^ 1)
	}
	return uint8(r)
}

// MaxUserData is the longest user data of a PacketInAction.
const MaxUserData = 0xff00

// Open vSwitch's own controller actions. The older one has everything at fixed places;
// the newer one has properties of type and length, padded to 8. A number of 16 bits has
// its padding within the length; the reason, of 8 bits, behind it.
const (
	offControllerMaxLen = 10
	offControllerID     = 12
	offControllerReason = 14
	offControllerPad    = 15
	controllerLen       = 16

	controller2HeaderLen = 16

	ctlrPropMaxLen   = 0
	ctlrPropID       = 1
	ctlrPropReason   = 2
	ctlrPropUserData = 3
	ctlrPropPause    = 4
	ctlrPropMeter    = 5

	reasonPropLen = propHeaderLen + 1
	wholePacket   = 0xffff
)

// Controller sends the packet to a controller, as a packet-in. UserData is cloned.
func Controller(c PacketInAction) Action {
	if c.MaxLen == 0 {
		c.MaxLen = wholePacket
	}
	switch {
	case len(c.UserData) > MaxUserData:
		return badAction(ErrAction, "user data of %d bytes", len(c.UserData))
	case c.Reason > ReasonPacketOut:
		return badAction(ErrAction, "packet-in of unknown reason %d", c.Reason)
	case len(c.UserData) > 0 || c.Pause || c.Meter != 0:
		return controller2(c)
	case c.ID != 0 || c.Reason != ReasonAction:
		return controller1(c)
	}
	return output(PortController, c.MaxLen)
}

// controller1 is NXAST_CONTROLLER.
func controller1(c PacketInAction) Action {
	var b [controllerLen]byte
	putNiciraHeader(b[:], openflow.NiciraController)
	binary.BigEndian.PutUint16(b[offControllerMaxLen:], c.MaxLen)
	binary.BigEndian.PutUint16(b[offControllerID:], c.ID)
	b[offControllerReason] = c.Reason.wire()
	return actionOf(b[:])
}

// controller2 is NXAST_CONTROLLER2. What has its default is left out.
func controller2(c PacketInAction) Action {
	const numbers = 5 * propLen
	b := make([]byte, controller2HeaderLen, controller2HeaderLen+numbers+align(propHeaderLen+len(c.UserData)))
	if c.MaxLen != wholePacket {
		b = append(b, 0, ctlrPropMaxLen, 0, propLen, byte(c.MaxLen>>8), byte(c.MaxLen), 0, 0)
	}
	if c.ID != 0 {
		b = append(b, 0, ctlrPropID, 0, propLen, byte(c.ID>>8), byte(c.ID), 0, 0)
	}
	if c.Reason != ReasonAction {
		b = append(b, 0, ctlrPropReason, 0, reasonPropLen, c.Reason.wire(), 0, 0, 0)
	}
	if n, _ := openflow.Narrow[uint16](propHeaderLen + len(c.UserData)); n > propHeaderLen {
		b = binary.BigEndian.AppendUint16(b, ctlrPropUserData)
		b = binary.BigEndian.AppendUint16(b, n)
		b = append(b, c.UserData...)
		b = append(b, make([]byte, align(len(b))-len(b))...)
	}
	if c.Pause {
		b = append(b, 0, ctlrPropPause, 0, propHeaderLen, 0, 0, 0, 0)
	}
	if c.Meter != 0 {
		b = binary.BigEndian.AppendUint32(append(b, 0, ctlrPropMeter, 0, propLen), c.Meter)
	}
	putNiciraHeader(b, openflow.NiciraController2)
	return actionOf(b)
}
