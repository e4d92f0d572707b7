package ofgrouptest

import (
	"time"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

const (
	statsHeader = 40 // of a group's entry in the statistics (section 7.3.5.9)
	statsBucket = 16
)

// statistics are the entries of the groups that the switch has of ids. No packet is ever
// counted, for there are none; what is told is how many flows point at a group, and for how
// long it has been there.
func (s *Switch) statistics(ids []uint32) [][]byte {
	var entries [][]byte
	for _, id := range ids {
		g := s.table.groups[id]
		if g == nil {
			continue
		}
		b := make([]byte, statsHeader+statsBucket*len(g.buckets))
		be.PutUint16(b, uint16(len(b)&openflow.MaxLen))
		be.PutUint32(b[4:], id)
		be.PutUint32(b[8:], uint32(s.flows.users[reference{openflow.ActionGroup, id}]))
		lived := time.Since(g.since)
		be.PutUint32(b[32:], uint32(lived/time.Second))
		be.PutUint32(b[36:], uint32(lived%time.Second))
		entries = append(entries, b)
	}
	return entries
}

// groupFeatures is what Open vSwitch answers: every type, and as many groups as there are
// numbers (section 7.3.5.10).
func groupFeatures() []byte {
	const (
		types        = 0xf
		capabilities = 0x7        // weights, liveness, chaining
		actions      = 0x03ff8001 // as bits by their type
	)
	b := be.AppendUint32(nil, types)
	b = be.AppendUint32(b, capabilities)
	for range 4 {
		b = be.AppendUint32(b, maxGroupID)
	}
	for range 4 {
		b = be.AppendUint32(b, actions)
	}
	return b
}
