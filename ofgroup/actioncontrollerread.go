package ofgroup

import (
	"strconv"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// AsController is how the action hands the packet to a controller, if it is a Controller,
// or Output(PortController), that could have been made here. The caller owns it.
func (a Action) AsController() (PacketInAction, bool) {
	enc := a.encoding()
	c, ok := parseController(enc)
	if p, isOutput := a.AsOutput(); isOutput && p == PortController {
		c, ok = PacketInAction{MaxLen: be16(enc[offOutputMaxLen:])}, true
	}
	if !ok || c.MaxLen == 0 || Controller(c).encoding() != enc {
		return PacketInAction{}, false
	}
	if c.MaxLen == wholePacket {
		c.MaxLen = 0
	}
	return c, true
}

// parseController reads one of the two controller actions; false for other actions, for
// properties that have no words here, and for those in another order.
func parseController(a string) (PacketInAction, bool) {
	c := PacketInAction{MaxLen: wholePacket}
	switch niciraSubtype(a) {
	case openflow.NiciraController:
		if len(a) != controllerLen || !zeros(a[offControllerPad:]) || !c.setReason(a[offControllerReason]) {
			return c, false
		}
		c.MaxLen, c.ID = be16(a[offControllerMaxLen:]), be16(a[offControllerID:])
		return c, c.ID != 0 || c.Reason != ReasonAction // otherwise it is sent as an output
	case openflow.NiciraController2:
		ok := len(a) > controller2HeaderLen && c.readProps(a[controller2HeaderLen:])
		return c, ok && Controller(c).encoding() == a
	default:
		return c, false
	}
}

func (c *PacketInAction) setReason(wire uint8) bool {
	c.Reason = PacketInReason(PacketInReason(wire).wire())
	return c.Reason <= ReasonPacketOut
}

// readProps reads the properties of an NXAST_CONTROLLER2; false if one is not known.
func (c *PacketInAction) readProps(s string) bool {
	if checkProps(s) != nil {
		return false
	}
	for s != "" {
		typ, n := propHead(s)
		value := s[propHeaderLen:be16(s[offPropLen:])]
		const number = propLen - propHeaderLen
		switch {
		case typ == ctlrPropMaxLen && len(value) == number:
			c.MaxLen = be16(value)
		case typ == ctlrPropID && len(value) == number:
			c.ID = be16(value)
		case typ == ctlrPropReason && len(value) == 1 && c.setReason(value[0]):
		case typ == ctlrPropUserData:
			c.UserData = []byte(value)
		case typ == ctlrPropPause && value == "":
			c.Pause = true
		case typ == ctlrPropMeter && len(value) == number:
			c.Meter = be32(value)
		default:
			return false
		}
		s = s[n:]
	}
	return true
}

// reasonNames are ovs-ofctl's.
var reasonNames = [...]string{"action", "no_match", "invalid_ttl", "action_set", "group", "packet_out"}

// controllerText prints one of the two controller actions as ovs-ofctl does.
func controllerText(a string) (string, bool) {
	c, ok := parseController(a)
	if !ok {
		return "", false
	}
	var w words
	w.when(c.Reason != ReasonAction, "reason="+reasonNames[c.Reason])
	w.when(c.MaxLen != wholePacket, "max_len="+strconv.Itoa(int(c.MaxLen)))
	w.when(c.ID != 0, "id="+strconv.Itoa(int(c.ID)))
	w.when(len(c.UserData) > 0, "userdata="+dottedHex(string(c.UserData)))
	w.when(c.Pause, "pause")
	w.when(c.Meter != 0, "meter_id="+strconv.FormatUint(uint64(c.Meter), 10))
	return "controller(" + w.String() + ")", true
}
