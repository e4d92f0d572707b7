package ofconn

import (
	"encoding/binary"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// AsyncConfig says what the switch sends of its own accord to this connection
// while it is master or equal (OpenFlow 1.5.1, 7.3.10). As a slave it gets none
// of it: a connection that was fenced off must not act on packets any more.
//
// To get anything, a connection to a bridge's management socket must send a
// SwitchConfig with a MissSendLen too.
type AsyncConfig struct {
	// PacketIn, PortStatus and FlowRemoved are the reasons to be told of, each as
	// bit 1 << reason, or AllReasons. Reasons that the version does not have are
	// left out: Open vSwitch refuses the whole message for them.
	PacketIn, PortStatus, FlowRemoved uint32
}

// AllReasons is every reason that a message can have.
const AllReasons = 0xffffffff

// The reasons that there are. OpenFlow 1.3 has ReasonAction where 1.5 tells
// several apart, and a switch means them all by it.
const (
	packetInReasons13    = 1<<(ReasonInvalidTTL+1) - 1
	packetInReasons15    = 1<<(ReasonPacketOut+1) - 1
	portStatusReasons    = 1<<(PortModified+1) - 1
	flowRemovedReasons13 = 1<<(FlowGroupDeleted+1) - 1
	flowRemovedReasons15 = 1<<(FlowEvicted+1) - 1
)

// Properties of a SET_ASYNC. The even ones are a slave's, the odd ones that
// follow them the master's and an equal's.
const (
	asyncPacketIn    = 0
	asyncPortStatus  = 2
	asyncFlowRemoved = 4
	asyncPropLen     = 8
)

// AppendMessage appends the message; see Message.
func (m AsyncConfig) AppendMessage(b []byte, v ofgroup.Version) ([]byte, error) {
	return appendMessage(b, v, openflow.TypeSetAsync, func(b []byte) ([]byte, error) {
		if v == ofgroup.OpenFlow13 {
			b = appendAsync13(b, m.PacketIn&packetInReasons13)
			b = appendAsync13(b, m.PortStatus&portStatusReasons)
			return appendAsync13(b, m.FlowRemoved&flowRemovedReasons13), nil
		}
		b = appendAsync15(b, asyncPacketIn, m.PacketIn&packetInReasons15)
		b = appendAsync15(b, asyncPortStatus, m.PortStatus&portStatusReasons)
		return appendAsync15(b, asyncFlowRemoved, m.FlowRemoved&flowRemovedReasons15), nil
	})
}

// appendAsync13 appends a master's mask and a slave's, which is empty.
func appendAsync13(b []byte, mask uint32) []byte {
	return appendZeros(binary.BigEndian.AppendUint32(b, mask), 4)
}

// appendAsync15 appends a slave's property, which is empty, and a master's.
func appendAsync15(b []byte, slave uint16, mask uint32) []byte {
	b = binary.BigEndian.AppendUint64(b, uint64(slave)<<48|asyncPropLen<<32)
	return binary.BigEndian.AppendUint64(b, uint64(slave+1)<<48|asyncPropLen<<32|uint64(mask))
}
