package ofconn

import (
	"encoding/binary"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// AsyncConfig says what the switch sends of its own accord to this connection
// while it is master or equal (OpenFlow 1.5.1, 7.3.10). As a slave it gets none
// of it but role status: a connection that was fenced off must not act on packets any
// more.
//
// To get anything, a connection to a bridge's management socket must send a
// SwitchConfig with a MissSendLen too.
type AsyncConfig struct {
	// PacketIn, PortStatus and FlowRemoved are the reasons to be told of, each as
	// bit 1 << reason, or AllReasons. Reasons that the version does not have are
	// left out: Open vSwitch refuses the whole message for them.
	PacketIn, PortStatus, FlowRemoved uint32

	// RoleStatus is for what RoleReasons to be told that the connection has another
	// role, as a slave too. Open vSwitch always tells it, in both versions.
	RoleStatus uint32

	// RequestForward is what changes of others to be told of, bit 0 those of groups,
	// bit 1 those of meters. In OpenFlow 1.3 it is an extension of Open vSwitch, by
	// which it can be asked for, but not asked not for any more.
	RequestForward uint32
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
	roleReasons          = 1<<(RoleExperimenter+1) - 1
	forwardReasons       = 1<<2 - 1
)

// Properties of a SET_ASYNC. The even ones are a slave's, the odd ones that
// follow them the master's and an equal's.
const (
	asyncPacketIn       = 0
	asyncPortStatus     = 2
	asyncFlowRemoved    = 4
	asyncRoleStatus     = 6
	asyncRequestForward = 10
	asyncPropLen        = 8
)

// AppendMessage appends the message; see Message.
func (m AsyncConfig) AppendMessage(b []byte, v ofgroup.Version) ([]byte, error) {
	m = m.within(v)
	if v == ofgroup.OpenFlow13 && m.RequestForward != 0 {
		return appendNicira(b, v, openflow.NiciraSetAsyncConfig2, m.appendProperties(nil)...)
	}
	return appendMessage(b, v, openflow.TypeSetAsync, func(b []byte) ([]byte, error) {
		if v != ofgroup.OpenFlow13 {
			return m.appendProperties(b), nil
		}
		return appendAsync13(appendAsync13(appendAsync13(b, m.PacketIn), m.PortStatus), m.FlowRemoved), nil
	})
}

// within is m without the reasons that the version does not have.
func (m AsyncConfig) within(v ofgroup.Version) AsyncConfig {
	packetIn, flowRemoved := uint32(packetInReasons15), uint32(flowRemovedReasons15)
	if v == ofgroup.OpenFlow13 {
		packetIn, flowRemoved = packetInReasons13, flowRemovedReasons13
	}
	m.PacketIn &= packetIn
	m.PortStatus &= portStatusReasons
	m.FlowRemoved &= flowRemoved
	m.RoleStatus &= roleReasons
	m.RequestForward &= forwardReasons
	return m
}

// appendProperties appends the body of OpenFlow 1.5.
func (m AsyncConfig) appendProperties(b []byte) []byte {
	b = appendAsync15(b, asyncPacketIn, 0, m.PacketIn)
	b = appendAsync15(b, asyncPortStatus, 0, m.PortStatus)
	b = appendAsync15(b, asyncFlowRemoved, 0, m.FlowRemoved)
	b = appendAsync15(b, asyncRoleStatus, m.RoleStatus, m.RoleStatus)
	return appendAsync15(b, asyncRequestForward, 0, m.RequestForward)
}

// appendAsync13 appends a master's mask and a slave's, which is empty.
func appendAsync13(b []byte, mask uint32) []byte {
	return appendZeros(binary.BigEndian.AppendUint32(b, mask), 4)
}

// appendAsync15 appends the property of a slave and that of a master.
func appendAsync15(b []byte, kind uint16, slave, master uint32) []byte {
	b = binary.BigEndian.AppendUint64(b, uint64(kind)<<48|asyncPropLen<<32|uint64(slave))
	return binary.BigEndian.AppendUint64(b, uint64(kind+1)<<48|asyncPropLen<<32|uint64(master))
}
