package ofconn

import (
	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// PacketInFormat has Open vSwitch send packet-ins to this connection in another
// form (NXT_SET_PACKET_IN_FORMAT).
type PacketInFormat uint8

const (
	// FormatStandard is OFPT_PACKET_IN, what a connection starts with.
	FormatStandard PacketInFormat = 0
	// FormatPacketIn2 is NXT_PACKET_IN2, the only one that carries user data.
	FormatPacketIn2 PacketInFormat = 2
)

// AppendMessage appends the message; see Message.
func (m PacketInFormat) AppendMessage(b []byte, v ofgroup.Version) ([]byte, error) {
	return appendNicira(b, v, openflow.NiciraSetPacketInFormat, 0, 0, 0, byte(m))
}

// ControllerID gives this connection a number, to which ofgroup.Controller can
// send (NXT_SET_CONTROLLER_ID). From then on it gets no packets of controller
// actions without a number, nor those without a flow.
type ControllerID uint16

// AppendMessage appends the message; see Message.
func (m ControllerID) AppendMessage(b []byte, v ofgroup.Version) ([]byte, error) {
	return appendNicira(b, v, openflow.NiciraSetControllerID, 0, 0, 0, 0, 0, 0, byte(m>>8), byte(m))
}
