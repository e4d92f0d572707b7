package ofconn

import (
	"encoding/binary"
	"fmt"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// FlowRemoved is the switch's news that a flow with FlowSendRemoved has ended
// (OpenFlow 1.5.1, 7.4.2). Its match and counters are not read: the cookie says
// whose flow it was.
type FlowRemoved struct {
	Cookie   uint64
	Table    uint8
	Priority uint16
	Reason   FlowRemovedReason
}

// FlowRemovedReason is why a flow ended.
type FlowRemovedReason uint8

const (
	FlowIdle         FlowRemovedReason = 0 // its idle timeout
	FlowExpired      FlowRemovedReason = 1 // its hard timeout
	FlowDeleted      FlowRemovedReason = 2 // by a FlowMod
	FlowGroupDeleted FlowRemovedReason = 3 // with the group that it used
	FlowMeterDeleted FlowRemovedReason = 4 // with the meter that it used
	FlowEvicted      FlowRemovedReason = 5 // to make room for others
)

// String is ovs-ofctl's word for the reason.
func (r FlowRemovedReason) String() string {
	words := [...]string{"idle", "hard", "delete", "group_delete", "meter_delete", "eviction"}
	if int(r) < len(words) {
		return words[r]
	}
	return fmt.Sprintf("FlowRemovedReason(0x%x)", uint8(r))
}

// The fixed parts, before the match, of the two versions. They hold the same in
// another order.
const (
	flowRemovedLen13 = 48
	flowRemovedLen15 = 32
)

// ParseFlowRemoved decodes a whole OFPT_FLOW_REMOVED, of either version. The
// error matches ofgroup.ErrMalformed.
func ParseFlowRemoved(msg []byte) (FlowRemoved, error) {
	h, err := checkMessage(msg, openflow.TypeFlowRemoved, flowRemovedLen15)
	if err != nil {
		return FlowRemoved{}, err
	}
	if h.Version == openflow.Version15 {
		return FlowRemoved{
			Table: msg[8], Reason: FlowRemovedReason(msg[9]),
			Priority: binary.BigEndian.Uint16(msg[10:]), Cookie: binary.BigEndian.Uint64(msg[16:]),
		}, nil
	}
	if len(msg) < flowRemovedLen13 {
		return FlowRemoved{}, malformed("message length")
	}
	return FlowRemoved{
		Cookie: binary.BigEndian.Uint64(msg[8:]), Priority: binary.BigEndian.Uint16(msg[16:]),
		Reason: FlowRemovedReason(msg[18]), Table: msg[19],
	}, nil
}
