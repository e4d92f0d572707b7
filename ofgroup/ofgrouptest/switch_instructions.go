package ofgrouptest

import "github.com/ofmcast/ofmcast/internal/openflow"

// Instructions that the switch knows (section 7.2.5), by type.
const (
	gotoTable     = 1
	writeMetadata = 2
	writeActions  = 3
	applyActions  = 4
	clearActions  = 5
	lastKnown     = clearActions

	instructionHeader = 8 // with the padding before actions
)

// instructions are a flow's, at most one of a type, each as it is kept.
type instructions [lastKnown + 1][]byte

// parseInstructions reads all of b.
func parseInstructions(b []byte) (instructions, verdict) {
	var all instructions
	for len(b) > 0 {
		kind, n := be.Uint16(b), int(be.Uint16(b[2:]))
		switch {
		case n < 8 || n%8 != 0 || n > len(b):
			return all, badInstructionLen
		case kind == propExperimenter:
			return all, badInstructionExperimenter
		case kind == 0 || kind > lastKnown:
			return all, unknownInstruction
		case all[kind] != nil:
			return all, dupInstruction
		}
		kept, v := keepInstruction(kind, b[:n])
		if v != accepted {
			return all, v
		}
		all[kind] = kept
		b = b[n:]
	}
	return all, accepted
}

// keepInstruction checks one and returns it as it is described, in new memory.
func keepInstruction(kind uint16, b []byte) ([]byte, verdict) {
	body := make([]byte, instructionHeader)
	switch kind {
	case writeActions, applyActions:
		actions, v := parseActions(b[instructionHeader:])
		if v != accepted {
			return nil, v
		}
		body = append(body, actions...)
	case writeMetadata:
		if len(b) != 24 {
			return nil, badInstructionLen
		}
		body = append(body, b[8:]...)
	case gotoTable:
		if len(b) != 8 {
			return nil, badInstructionLen
		}
		body[4] = b[4]
	case clearActions:
		if len(b) != 8 {
			return nil, badInstructionLen
		}
	}
	be.PutUint16(body, kind)
	be.PutUint16(body[2:], uint16(len(body)&openflow.MaxLen))
	return body, accepted
}

// actions are those of an instruction that has any.
func (all instructions) actions(kind int) []byte {
	if all[kind] == nil {
		return nil
	}
	return all[kind][instructionHeader:]
}

// bytes are the instructions in the order they are carried out, as they are described: an
// instruction to apply nothing is none.
func (all instructions) bytes() []byte {
	var b []byte
	for _, kind := range []int{applyActions, clearActions, writeActions, writeMetadata, gotoTable} {
		if kind != applyActions || len(all.actions(kind)) > 0 {
			b = append(b, all[kind]...)
		}
	}
	return b
}

// check holds what the instructions ask of the packets and of the table (section 5.5).
func (all instructions) check(known facts, table uint8) verdict {
	for _, kind := range []int{applyActions, writeActions} {
		if v := checkNeeds(all.actions(kind), known); v != accepted {
			return v
		}
	}
	if g := all[gotoTable]; g != nil && table != allTables && g[4] <= table {
		return badInstructionTable
	}
	return accepted
}

// checkNeeds goes through actions with what is known of the packets, which they change.
func checkNeeds(actions []byte, known facts) verdict {
	for a := range eachAction(actions) {
		if !known.meet(needOf(a)) {
			return inconsistentMatch
		}
		switch be.Uint16(a) {
		case pushVLAN:
			known.tags++
		case popVLAN:
			known.tags--
		case pushMPLS, popMPLS:
			known = facts{eth: int(be.Uint16(a[actionHeader:])), proto: -1, icmpType: -1, icmpCode: -1, tags: known.tags}
		}
	}
	return accepted
}

func needOf(a []byte) need {
	switch be.Uint16(a) {
	case popVLAN:
		return needVLAN
	case setIPTTL, decIPTTL:
		return needIP
	case setMPLSTTL, decMPLSTTL, popMPLS:
		return needMPLS
	case openflow.ActionSetField:
		f, _ := fieldOf(openflow.OXM(be.Uint32(a[actionHeader:])))
		if f.number == fieldVLANVID {
			return needVLAN
		}
		return matchRules[f.number].needs
	}
	return needNothing
}

// eachAction yields the actions of a list that parseActions has taken.
func eachAction(b []byte) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for len(b) > 0 {
			n := int(be.Uint16(b[2:]))
			if !yield(b[:n]) {
				return
			}
			b = b[n:]
		}
	}
}
