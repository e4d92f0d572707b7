package ofconn

import (
	"encoding/binary"
	"fmt"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// FlowMod adds, changes or deletes flows (OpenFlow 1.5.1, 7.3.4.2; of 1.3.5,
// 7.3.4.1). The zero value adds a flow of table 0 and priority 0 that takes
// every packet and drops it.
type FlowMod struct {
	Command  FlowCommand
	Table    uint8 // AllTables, in a deletion only, is every table
	Priority uint16
	Match    ofgroup.Match // of a deletion or Modify: all flows at least as narrow

	// Cookie is the new flow's. For all other commands it is what a flow must
	// have in the bits of CookieMask; a flow keeps the cookie it was added with.
	Cookie, CookieMask uint64

	// IdleTimeout and HardTimeout are in seconds: without a packet, and in any
	// case. 0 is never.
	IdleTimeout, HardTimeout uint16
	Flags                    FlowFlags

	// Actions are done in their order; none drops the packet. They may not be
	// changed while the message is encoded.
	Actions []ofgroup.Action
}

// AllTables is, in a deletion, every table of the switch.
const AllTables = 0xff

// FlowCommand is what a FlowMod does.
type FlowCommand uint8

const (
	FlowAdd          FlowCommand = 0 // replaces a flow of same table, priority and match
	FlowModify       FlowCommand = 1 // actions of the matching flows; counters stay
	FlowModifyStrict FlowCommand = 2 // of the one with this very match and priority
	FlowDelete       FlowCommand = 3 // the matching flows
	FlowDeleteStrict FlowCommand = 4 // the one with this very match and priority
)

// String is ovs-ofctl's word for the command in a file of flows.
func (c FlowCommand) String() string {
	switch c {
	case FlowAdd:
		return "add"
	case FlowModify:
		return "modify"
	case FlowModifyStrict:
		return "modify_strict"
	case FlowDelete:
		return "delete"
	case FlowDeleteStrict:
		return "delete_strict"
	default:
		return fmt.Sprintf("FlowCommand(0x%x)", uint8(c))
	}
}

// deletes reports whether the command takes no actions.
func (c FlowCommand) deletes() bool { return c == FlowDelete || c == FlowDeleteStrict }

// FlowFlags are the flags of a flow.
type FlowFlags uint16

const (
	FlowSendRemoved    FlowFlags = 1 << 0 // a FlowRemoved when it ends
	FlowCheckOverlap   FlowFlags = 1 << 1 // refuse it if another of its priority overlaps
	FlowResetCounts    FlowFlags = 1 << 2 // its counters begin at 0 again
	FlowNoPacketCounts FlowFlags = 1 << 3 // count no packets
	FlowNoByteCounts   FlowFlags = 1 << 4 // count no bytes
)

// Where things stand in an instruction (OpenFlow 1.5.1, 7.2.5): type, length,
// and for actions four bytes of padding.
const (
	instructionApply  = 4
	instructionMeter  = 6 // 1.3 only; in 1.5 it is an action
	instructionHeader = 8
	offInstructionLen = 2

	noBuffer = 0xffffffff // the packet is not in the switch
)

// AppendMessage appends the message; see Message. In OpenFlow 1.3 a first
// action that is a meter is written as the instruction that 1.3 has instead.
func (m FlowMod) AppendMessage(b []byte, v ofgroup.Version) ([]byte, error) {
	return appendMessage(b, v, openflow.TypeFlowMod, func(b []byte) ([]byte, error) {
		if m.Command > FlowDeleteStrict {
			return nil, fmt.Errorf("ofconn: flow-mod: %v: %w", m.Command, ofgroup.ErrCommand)
		}
		cookie, mask := m.cookies()
		b = binary.BigEndian.AppendUint64(b, cookie)
		b = binary.BigEndian.AppendUint64(b, mask)
		b = append(b, m.Table, uint8(m.Command))
		b = binary.BigEndian.AppendUint16(b, m.IdleTimeout)
		b = binary.BigEndian.AppendUint16(b, m.HardTimeout)
		b = binary.BigEndian.AppendUint16(b, m.Priority)
		b = binary.BigEndian.AppendUint32(b, noBuffer)
		b = binary.BigEndian.AppendUint32(b, uint32(ofgroup.PortAny))  // whatever they output to
		b = binary.BigEndian.AppendUint32(b, uint32(ofgroup.AnyGroup)) // and whatever group they use
		b = binary.BigEndian.AppendUint16(b, uint16(m.Flags))
		b = appendZeros(b, 2) // importance in 1.5, padding in 1.3
		b, err := m.Match.AppendBinary(b)
		if err != nil {
			return nil, fmt.Errorf("ofconn: flow-mod: match: %w", err)
		}
		if m.Command.deletes() {
			return b, nil
		}
		return appendInstructions(b, v, m.Actions)
	})
}

// cookies are the cookie and the mask that mean something for the command: a
// new flow has no mask, and without one the others do not look at cookies.
func (m FlowMod) cookies() (cookie, mask uint64) {
	switch {
	case m.Command == FlowAdd:
		return m.Cookie, 0
	case m.CookieMask == 0:
		return 0, 0
	default:
		return m.Cookie, m.CookieMask
	}
}

// appendInstructions appends what applies the actions at once, and nothing if
// there are none.
func appendInstructions(b []byte, v ofgroup.Version, actions []ofgroup.Action) ([]byte, error) {
	if v == ofgroup.OpenFlow13 && len(actions) > 0 {
		if id, ok := meterID(actions[0]); ok {
			b = binary.BigEndian.AppendUint16(b, instructionMeter)
			b = binary.BigEndian.AppendUint16(b, instructionHeader)
			b = binary.BigEndian.AppendUint32(b, id)
			actions = actions[1:]
		}
	}
	start := len(b)
	b = binary.BigEndian.AppendUint16(b, instructionApply)
	b, err := appendActions(appendZeros(b, instructionHeader-2), v, actions)
	if err != nil {
		return nil, fmt.Errorf("ofconn: flow-mod: %w", err)
	}
	length := len(b) - start
	if length == instructionHeader {
		return b[:start], nil
	}
	return b, putLength(b[start:], offInstructionLen, length)
}

// meterID is the meter of an action, if it is one.
func meterID(a ofgroup.Action) (uint32, bool) {
	enc, err := ofgroup.AppendActions(nil, ofgroup.OpenFlow15, a)
	const length = 8
	if err != nil || len(enc) != length || binary.BigEndian.Uint16(enc) != openflow.ActionMeter {
		return 0, false
	}
	return binary.BigEndian.Uint32(enc[4:]), true
}
