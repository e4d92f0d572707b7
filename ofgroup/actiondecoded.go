package ofgroup

import "github.com/ofmcast/ofmcast/internal/openflow"

// decodedAction is the action with an encoding that was not made here, with what an Action
// has to know of it.
func decodedAction(a string) Action {
	inCT, only13, depth := looksOf(a, 0)
	return actionWith(a, inCT, only13, depth)
}

// looksOf tells whether an action belongs within CT, whether it, or one within it, is a
// load or a move, and how deep the actions within are nested.
func looksOf(a string, depth int) (inCT, only13 bool, nested uint8) {
	switch be16(a) {
	case openflow.ActionSetField:
		f, _, _, _ := setFieldParts(a)
		return f == CTMark || f == CTLabel, false, 0
	case openflow.ActionCopyField:
		_, to, _ := parseCopy(a)
		return to != nil && to.set == setInCT, false, 0
	}
	switch niciraSubtype(a) {
	case openflow.NiciraRegLoad:
		l, _ := parseLoad(a)
		return l.field == CTMark || l.field == CTLabel, true, 0
	case openflow.NiciraRegMove:
		to := moveTo(a)
		return to != nil && to.set == setInCT, true, 0
	}
	for within := range eachAction(inner(a, depth)) {
		_, old, deep := looksOf(within, depth+1)
		only13, nested = only13 || old, max(nested, deep+1)
	}
	return false, only13, nested
}

// only13 reports whether OpenFlow 1.5 lacks one of these actions.
func only13(actions string) bool {
	for a := range eachAction(actions) {
		if _, old, _ := looksOf(a, 0); old {
			return true
		}
	}
	return false
}
