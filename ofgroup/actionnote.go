package ofgroup

import "github.com/ofmcast/ofmcast/internal/openflow"

// MaxNote is the longest note.
const MaxNote = 0xfff6 - niciraHeaderLen

// Note does nothing, and carries up to MaxNote bytes that the switch keeps. It gives them
// back with zeros behind, up to a length of 6, 14, 22 and so on. It is Open vSwitch's own
// action.
func Note(note []byte) Action {
	if len(note) > MaxNote {
		return badAction(ErrAction, "note of %d bytes", len(note))
	}
	b := make([]byte, align(max(niciraHeaderLen+len(note), 2*actionAlign)))
	copy(b[niciraHeaderLen:], note)
	putNiciraHeader(b, openflow.NiciraNote)
	return actionOf(b)
}

func noteText(a string) (string, bool) {
	return "note:" + dottedHex(a[niciraHeaderLen:]), len(a) > niciraHeaderLen
}
