package ofgroup

import (
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"strings"

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
	// UserData comes back as it is in an NXT_PACKET_IN2, and in no other form of
	// packet-in, so a flow can say what it caught. At most MaxUserData bytes.
	UserData []byte
}

// MaxUserData is the longest user data of a PacketInAction.
const MaxUserData = 0xff00

// Open vSwitch's own controller actions. The older one has everything at fixed places;
// the newer one has properties of type and length, padded to 8. A number of 16 bits has
// its padding within the length.
const (
	offControllerMaxLen = 10
	offControllerID     = 12
	offControllerReason = 14

	controller2HeaderLen = 16

	ctlrPropMaxLen   = 0
	ctlrPropID       = 1
	ctlrPropUserData = 3

	reasonAction = 1 // OFPR_ACTION
	wholePacket  = 0xffff
)

// Controller sends the packet to a controller, as a packet-in. UserData is cloned.
func Controller(c PacketInAction) Action {
	if c.MaxLen == 0 {
		c.MaxLen = wholePacket
	}
	switch {
	case len(c.UserData) > MaxUserData:
		return badAction(ErrAction, "user data of %d bytes", len(c.UserData))
	case len(c.UserData) > 0:
		return controller2(c)
	case c.ID != 0:
		return controller1(c)
	}
	var b [16]byte
	putActionHeader(b[:], openflow.ActionOutput)
	port := PortController
	binary.BigEndian.PutUint32(b[offActionBody:], uint32(port))
	binary.BigEndian.PutUint16(b[8:], c.MaxLen)
	return actionOf(b[:])
}

// controller1 is NXAST_CONTROLLER.
func controller1(c PacketInAction) Action {
	var b [16]byte
	putNiciraHeader(b[:], openflow.NiciraController)
	binary.BigEndian.PutUint16(b[offControllerMaxLen:], c.MaxLen)
	binary.BigEndian.PutUint16(b[offControllerID:], c.ID)
	b[offControllerReason] = reasonAction
	return actionOf(b[:])
}

// controller2 is NXAST_CONTROLLER2. What has its default is left out.
func controller2(c PacketInAction) Action {
	b := make([]byte, controller2HeaderLen, controller2HeaderLen+2*actionAlign+propHeaderLen+align(len(c.UserData))+actionAlign)
	if c.MaxLen != wholePacket {
		b = append(b, 0, ctlrPropMaxLen, 0, propLen, byte(c.MaxLen>>8), byte(c.MaxLen), 0, 0)
	}
	if c.ID != 0 {
		b = append(b, 0, ctlrPropID, 0, propLen, byte(c.ID>>8), byte(c.ID), 0, 0)
	}
	n, _ := openflow.Narrow[uint16](propHeaderLen + len(c.UserData))
	b = binary.BigEndian.AppendUint16(b, ctlrPropUserData)
	b = binary.BigEndian.AppendUint16(b, n)
	b = append(b, c.UserData...)
	b = append(b, make([]byte, align(len(b))-len(b))...)
	putNiciraHeader(b, openflow.NiciraController2)
	return actionOf(b)
}

// controllerText prints one of the two controller actions as ovs-ofctl does; false for
// other actions and for properties that have no words here.
func controllerText(a string) (string, bool) {
	if len(a) < controller2HeaderLen || be16(a) != openflow.ActionNicira || be32(a[offActionBody:]) != openflow.NiciraVendor {
		return "", false
	}
	c := PacketInAction{MaxLen: wholePacket}
	switch be16(a[8:]) {
	case openflow.NiciraController:
		if a[offControllerReason] != reasonAction {
			return "", false
		}
		c.MaxLen, c.ID = be16(a[offControllerMaxLen:]), be16(a[offControllerID:])
	case openflow.NiciraController2:
		if !c.readProps(a[controller2HeaderLen:]) {
			return "", false
		}
	default:
		return "", false
	}
	return c.text(), true
}

// readProps reads the properties of an NXAST_CONTROLLER2; false if one is not known.
func (c *PacketInAction) readProps(s string) bool {
	if checkProps(s) != nil {
		return false
	}
	for s != "" {
		typ, n := propHead(s)
		value := s[propHeaderLen:be16(s[2:])]
		switch {
		case typ == ctlrPropMaxLen && len(value) == propLen-propHeaderLen:
			c.MaxLen = be16(value)
		case typ == ctlrPropID && len(value) == propLen-propHeaderLen:
			c.ID = be16(value)
		case typ == ctlrPropUserData:
			c.UserData = []byte(value)
		default:
			return false
		}
		s = s[n:]
	}
	return true
}

func (c *PacketInAction) text() string {
	var words []string
	if c.MaxLen != wholePacket {
		words = append(words, "max_len="+strconv.Itoa(int(c.MaxLen)))
	}
	if c.ID != 0 {
		words = append(words, "id="+strconv.Itoa(int(c.ID)))
	}
	if len(c.UserData) > 0 {
		dotted := make([]string, len(c.UserData))
		for i := range c.UserData {
			dotted[i] = hex.EncodeToString(c.UserData[i : i+1])
		}
		words = append(words, "userdata="+strings.Join(dotted, "."))
	}
	return "controller(" + strings.Join(words, ",") + ")"
}
