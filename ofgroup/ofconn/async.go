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
	// bit 1 << reason, or AllReasons.
	PacketIn, PortStatus, FlowRemoved uint32
}

// AllReasons is, in OpenFlow 1.3 and 1.5, every reason of a message that there is.
const AllReasons = 0x3f

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
		if v == ofgroup.OpenFlow13 { // master's mask and slave's, in one fixed order
			for _, mask := range [...]uint32{m.PacketIn, m.PortStatus, m.FlowRemoved} {
				b = binary.BigEndian.AppendUint32(b, mask)
				b = appendZeros(b, 4)
			}
			return b, nil
		}
		b = appendAsync(b, asyncPacketIn, m.PacketIn)
		b = appendAsync(b, asyncPortStatus, m.PortStatus)
		return appendAsync(b, asyncFlowRemoved, m.FlowRemoved), nil
	})
}

// appendAsync appends a slave's property, which is empty, and a master's.
func appendAsync(b []byte, slave uint16, mask uint32) []byte {
	b = binary.BigEndian.AppendUint64(b, uint64(slave)<<48|asyncPropLen<<32)
	return binary.BigEndian.AppendUint64(b, uint64(slave+1)<<48|asyncPropLen<<32|uint64(mask))
}
