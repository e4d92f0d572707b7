package ofgroup

import (
	"slices"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

const (
	// offCloneActions is where the actions of a clone start.
	offCloneActions = 16

	// maxNesting is how deep clones may be nested: more would cost memory to print and to
	// turn into the form of another version. (Open vSwitch takes some hundred.)
	maxNesting = 16
)

// Clone does these actions on a copy of the packet and of everything that is kept beside
// it, and goes on with the packet as it was. It is Open vSwitch's own action. A Meter
// cannot be within, which ovs-ofctl has no words for; clones can, 16 deep in all.
func Clone(actions ...Action) Action {
	a := nest(make([]byte, offCloneActions), openflow.NiciraClone, actions)
	switch rare := a.rare(); {
	case rare.fault != nil:
	case rare.inCT:
		return faultyAction(outsideCT(&actions[slices.IndexFunc(actions, func(a Action) bool { return a.rare().inCT })]))
	case rare.depth > maxNesting:
		return badAction(ErrAction, "clones %d deep", rare.depth)
	}
	return a
}

// nest is the action that starts with head and has these actions behind it. Its flags are
// those of the actions, for the caller to judge.
func nest(head []byte, subtype uint16, actions []Action) Action {
	var all moreAction
	for i := range actions {
		a := actions[i].rare()
		if a.fault != nil {
			return faultyAction(a.fault)
		}
		all.inCT = all.inCT || a.inCT
		all.only13 = all.only13 || a.only13
		all.depth = max(all.depth, a.depth)
		head = append(head, actions[i].encoding()...)
	}
	if len(head) > maxActionLen {
		return badAction(ErrAction, "action of %d bytes", len(head))
	}
	putNiciraHeader(head, subtype)
	return actionWith(head, all.inCT, all.only13, all.depth+1)
}

// AsClone is the actions within a Clone.
func (a Action) AsClone() ([]Action, bool) {
	enc := a.encoding()
	if niciraSubtype(enc) != openflow.NiciraClone || !zeros(enc[niciraHeaderLen:offCloneActions]) ||
		checkActions(enc[offCloneActions:]) != nil {
		return nil, false
	}
	var actions []Action
	for a := range eachAction(enc[offCloneActions:]) {
		actions = append(actions, decodedAction(a))
	}
	return actions, true
}

func cloneText(a string, depth int) (string, bool) {
	if !zeros(a[niciraHeaderLen:offCloneActions]) || checkActions(a[offCloneActions:]) != nil {
		return "", false
	}
	return "clone(" + listText(a[offCloneActions:], depth+1) + ")", true
}
