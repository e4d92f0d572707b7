package ofgrouptest

import "github.com/ofmcast/ofmcast/internal/openflow"

// FLOW_MOD of OpenFlow 1.5 (section 7.3.4.2) as Open vSwitch reads it: first the match, then
// the fixed part, then the instructions, and what they refer to last.

const (
	flowAdd          = 0
	flowModify       = 1
	flowModifyStrict = 2
	flowDelete       = 3
	flowDeleteStrict = 4

	flowSendRemoved  = 1 << 0
	flowCheckOverlap = 1 << 1
	flowFlags        = 0x1f // those that exist

	allTables     = 255
	internalTable = 254

	flowModFixed = openflow.HeaderLen + 40
)

// flowMod is one FLOW_MOD taken apart. It owns its memory.
type flowMod struct {
	flow
	cookieMask        uint64
	command           uint8
	buffer            uint32
	outPort, outGroup uint32
}

func parseFlowMod(m []byte) (flowMod, verdict) {
	f := flowMod{
		cookieMask: be.Uint64(m[16:]),
		command:    m[25],
		buffer:     be.Uint32(m[32:]),
		outPort:    be.Uint32(m[36:]),
		outGroup:   be.Uint32(m[40:]),
		flow: flow{
			cookie: be.Uint64(m[8:]), table: m[24],
			idle: be.Uint16(m[26:]), hard: be.Uint16(m[28:]), priority: be.Uint16(m[30:]),
			flags: be.Uint16(m[44:]), importance: be.Uint16(m[46:]),
		},
	}
	match, rest, v := parseMatch(m[flowModFixed:])
	if v != accepted {
		return flowMod{}, v
	}
	f.match = match
	switch {
	case !mappablePort(f.outPort):
		return flowMod{}, badOutPort
	case f.table == allTables && f.command != flowDelete && f.command != flowDeleteStrict:
		return flowMod{}, badTable
	case f.command > flowDeleteStrict:
		return flowMod{}, badFlowCommand
	}
	if f.does, v = parseInstructions(rest); v != accepted {
		return flowMod{}, v
	}
	if f.flags&^flowFlags != 0 {
		return flowMod{}, badFlowFlags
	}
	return f, f.does.check(f.match.facts(), f.table)
}

// flowMod obeys a FLOW_MOD.
func (c *switchConn) flowMod(m []byte) ([][]byte, verdict) {
	f, v := parseFlowMod(m)
	switch {
	case v != accepted:
		return nil, v
	case f.buffer != noBuffer:
		return nil, bufferUnknown // there are none
	}
	return nil, c.sw.changeFlows(f)
}

func (s *Switch) changeFlows(f flowMod) verdict {
	if f.table == internalTable && f.command != flowDeleteStrict {
		return notPermitted
	}
	switch f.command {
	case flowAdd:
		return s.addFlow(f)
	case flowModify, flowModifyStrict:
		return s.modifyFlows(f)
	}
	for _, old := range s.flows.chosen(f) {
		s.removeFlow(old, removedByDelete)
	}
	return accepted
}

func (s *Switch) addFlow(f flowMod) verdict {
	if f.flags&flowCheckOverlap != 0 && s.flows.overlap(f.flow) {
		return overlapping
	}
	if v := s.checkReferences(f.does); v != accepted {
		return v
	}
	added := f.flow
	return s.flows.put(&added)
}

// modifyFlows gives flows new instructions and leaves all else as it was. What the
// instructions refer to matters only if there is such a flow.
func (s *Switch) modifyFlows(f flowMod) verdict {
	chosen := s.flows.chosen(f)
	if len(chosen) == 0 {
		return accepted
	}
	if v := s.checkReferences(f.does); v != accepted {
		return v
	}
	for _, old := range chosen {
		changed := *old
		changed.does = f.does
		if v := s.flows.put(&changed); v != accepted {
			return v
		}
	}
	return accepted
}

// checkReferences: groups and meters that actions name must be there.
func (s *Switch) checkReferences(does instructions) verdict {
	for _, kind := range []int{applyActions, writeActions} {
		if v := s.checkActionReferences(does.actions(kind)); v != accepted {
			return v
		}
	}
	return accepted
}

func (s *Switch) checkActionReferences(actions []byte) verdict {
	for a := range eachAction(actions) {
		switch be.Uint16(a) {
		case openflow.ActionGroup:
			if s.table.groups[be.Uint32(a[actionHeader:])] == nil {
				return badOutGroup
			}
		case openflow.ActionMeter:
			if _, ok := s.meters[be.Uint32(a[actionHeader:])]; !ok {
				return invalidMeter
			}
		}
	}
	return accepted
}
