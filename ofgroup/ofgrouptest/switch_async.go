package ofgrouptest

import "github.com/ofmcast/ofmcast/internal/openflow"

// Kinds of messages that the switch sends of its own accord. The properties of a
// SET_ASYNC come in pairs by kind: 2k for a slave, 2k+1 for the others (section 7.3.10).
const (
	asyncPacketIn   = 0
	asyncPortStatus = 1

	asyncRequestForward = 5
)

// asyncMasks say for which reasons a message is sent, by property type.
type asyncMasks [12]uint32

// asyncReasons are the bits that Open vSwitch knows, by kind.
var asyncReasons = [6]uint32{0x3f, 0x07, 0x3f, 0x07, 0x18, 0x03}

// defaultAsync is what a connection starts with: everything for which the switch has a
// use, and for a slave port status alone.
func defaultAsync() asyncMasks { return asyncMasks{1: 0x3b, 2: 0x07, 3: 0x07, 5: 0x3f} }

// setAsync changes the masks that are named, all of them or none.
func (c *switchConn) setAsync(m []byte) ([][]byte, verdict) {
	masks := c.async
	for b := m[openflow.HeaderLen:]; len(b) > 0; {
		kind, prop, rest, v := nextProp(b)
		switch {
		case v != accepted:
			return nil, v
		case kind == propExperimenter:
			return nil, experimenterProp(prop)
		case int(kind) >= len(masks):
			return nil, unsupportedAsync
		case len(prop) != 8:
			return nil, badPropLen
		}
		mask := be.Uint32(prop[4:])
		if mask&^asyncReasons[kind/2] != 0 {
			return nil, badAsync
		}
		masks[kind] = mask
		b = rest
	}
	c.async = masks
	return nil, accepted
}

func (c *switchConn) getAsync(m []byte) ([][]byte, verdict) {
	var body []byte
	for kind, mask := range c.async {
		body = appendProp(body, uint16(kind), mask)
	}
	return [][]byte{message(openflow.Version15, typeGetAsyncReply, xidOf(m), body)}, accepted
}

// wants reports whether a message that the switch sends of its own accord goes to this
// connection. One that has not set a miss_send_len has asked for nothing.
func (c *switchConn) wants(kind int, reason uint8) bool {
	if c.missSendLen == 0 || !c.greeted {
		return false
	}
	at := 2 * kind
	if c.role != roleSlave {
		at++
	}
	return c.async[at]&(1<<reason) != 0
}
