package ofgrouptest

import "github.com/ofmcast/ofmcast/internal/openflow"

// connConfig is what a controller set for its own connection; it ends with it.
type connConfig struct {
	role         uint32
	missSendLen  uint16 // 0: no packet-ins and port status, as on a management socket
	controllerID uint16
	format       uint32 // of packet-ins
	async        asyncMasks
}

func newConnConfig() connConfig { return connConfig{role: roleEqual, async: defaultAsync()} }

func (c *switchConn) getConfig(m []byte) ([][]byte, verdict) {
	body := be.AppendUint16(nil, c.sw.fragments)
	body = be.AppendUint16(body, c.missSendLen)
	return [][]byte{message(openflow.Version15, openflow.TypeGetConfigReply, xidOf(m), body)}, accepted
}

// setConfig sets how much of a packet the connection gets and, for the whole switch, how
// fragments are handled (section 7.3.2). It cannot reassemble them, and says nothing.
func (c *switchConn) setConfig(m []byte) ([][]byte, verdict) {
	const reassemble, highest = 2, 3
	flags := be.Uint16(m[8:])
	if flags > highest {
		return nil, badConfigFlags
	}
	if flags != reassemble {
		c.sw.fragments = flags
	}
	c.missSendLen = be.Uint16(m[10:])
	return nil, accepted
}

// Subtypes of Open vSwitch's own messages, and the forms of packet-ins.
const (
	niciraSetPacketInFormat = 16
	niciraSetControllerID   = 20

	formatStandard  = 0
	formatPacketIn2 = 2
)

// experimenter obeys the two of Open vSwitch's messages that an agent needs.
func (c *switchConn) experimenter(m []byte) ([][]byte, verdict) {
	if be.Uint32(m[8:]) != openflow.NiciraVendor {
		return nil, badExperimenter
	}
	body := m[16:]
	switch be.Uint32(m[12:]) {
	case niciraSetPacketInFormat:
		return nil, c.setPacketInFormat(body)
	case niciraSetControllerID:
		if len(body) != 8 {
			return nil, badLen
		}
		c.controllerID = be.Uint16(body[6:])
		return nil, accepted
	}
	return nil, badExpType
}

func (c *switchConn) setPacketInFormat(body []byte) verdict {
	if len(body) != 4 {
		return badLen
	}
	format := be.Uint32(body)
	if format != formatStandard && format != formatPacketIn2 {
		return notPermitted
	}
	c.format = format
	return accepted
}
