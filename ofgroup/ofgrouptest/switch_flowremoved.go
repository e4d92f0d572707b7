package ofgrouptest

import "github.com/ofmcast/ofmcast/internal/openflow"

// Why a flow was removed (section 7.4.2).
const (
	removedByDelete = 2
	removedByGroup  = 3
	removedByMeter  = 4
)

const asyncFlowRemoved = 2 // a kind of message, as those in switch_async.go

// removeUsers removes the flows that name a group or a meter that is gone.
func (s *Switch) removeUsers(of reference, reason uint8) {
	for _, f := range s.flows.using(of) {
		s.removeFlow(f, reason)
	}
}

// removeFlow removes one flow, and tells the connections that asked for it.
func (s *Switch) removeFlow(f *flow, reason uint8) {
	s.flows.remove(f)
	if f.flags&flowSendRemoved == 0 {
		return
	}
	m := f.removed(reason)
	for _, c := range s.wanting(asyncFlowRemoved, reason) {
		c.offer(m)
	}
}

// removed is the FLOW_REMOVED, with three statistics that are all zero: for how long the
// flow was there, how many packets and how many bytes it had.
func (f *flow) removed(reason uint8) []byte {
	const (
		statistics   = 4 + 3*12
		duration     = 0x80020008
		packetCount  = 0x80020808
		byteCount    = 0x80020a08
		oxmMatchType = 1
	)
	body := []byte{f.table, reason}
	body = be.AppendUint16(body, f.priority)
	body = be.AppendUint16(body, f.idle)
	body = be.AppendUint16(body, f.hard)
	body = be.AppendUint64(body, f.cookie)
	fields := f.match.key()
	body = be.AppendUint16(body, oxmMatchType)
	body = be.AppendUint16(body, uint16((4+len(fields))&openflow.MaxLen))
	body = append(body, fields...)
	body = append(body, make([]byte, -(4+len(fields))&7)...)
	body = append(body, 0, 0, 0, statistics)
	for _, header := range []uint32{duration, packetCount, byteCount} {
		body = be.AppendUint32(body, header)
		body = be.AppendUint64(body, 0)
	}
	return message(openflow.Version15, openflow.TypeFlowRemoved, 0, body)
}
