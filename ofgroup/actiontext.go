package ofgroup

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// String is the action as ovs-ofctl prints it, or, for one that this package does not
// know, "raw:" and its bytes in hexadecimal, which ovs-ofctl does not take.
func (a Action) String() string {
	if a.err() != nil {
		return "Action(" + a.err().Error() + ")"
	}
	if a.len() == 0 {
		return "drop"
	}
	return actionText(a.encoding(), 0)
}

// actionText prints one encoded action that is depth deep within others.
//
// To add one: a file of its own with its constructor and its printer, which says false for
// bytes that its words would not be sent as; a case here, in niciraText or in shortText; its
// number in internal/openflow; and recorded messages or lines for ovs-ofctl in its test.
func actionText(a string, depth int) (text string) {
	ok := depth <= maxNesting
	if ok {
		switch be16(a) {
		case openflow.ActionSetField:
			text, ok = setFieldText(a)
		case openflow.ActionOutput:
			text, ok = outputText(a)
		case openflow.ActionCopyField:
			text, ok = copyText(a)
		case openflow.ActionNicira:
			text, ok = niciraText(a, depth)
		default:
			text, ok = shortText(a)
		}
	}
	if !ok {
		return "raw:" + hex.EncodeToString([]byte(a))
	}
	return text
}

// niciraText prints one of Open vSwitch's own actions.
func niciraText(a string, depth int) (string, bool) {
	switch niciraSubtype(a) {
	case openflow.NiciraResubmitTable, openflow.NiciraResubmitCT:
		return resubmitText(a)
	case openflow.NiciraRegLoad:
		return loadText(a)
	case openflow.NiciraRegMove:
		return moveText(a)
	case openflow.NiciraOutputReg:
		return outputFieldText(a)
	case openflow.NiciraOutputTrunc:
		return outputTruncText(a)
	case openflow.NiciraController, openflow.NiciraController2:
		return controllerText(a)
	case openflow.NiciraDecTTLTo:
		return decTTLText(a)
	case openflow.NiciraNote:
		return noteText(a)
	case openflow.NiciraClone:
		return cloneText(a, depth)
	case openflow.NiciraCT:
		return ctText(a, depth)
	case openflow.NiciraCTClear:
		return "ct_clear", isNiciraAction0(a)
	case openflow.NiciraPopQueue:
		return "pop_queue", isNiciraAction0(a)
	default:
		return "", false
	}
}

func isNiciraAction0(a string) bool {
	return len(a) == 2*actionAlign && zeros(a[niciraHeaderLen:])
}

// listText prints a list of whole actions, drop if there are none.
func listText(actions string, depth int) string {
	if actions == "" {
		return "drop"
	}
	var sb strings.Builder
	for a := range eachAction(actions) {
		if sb.Len() > 0 {
			sb.WriteByte(',')
		}
		sb.WriteString(actionText(a, depth))
	}
	return sb.String()
}

// words are the parts of a text between parentheses.
type words []string

// when adds one, if it says something.
func (w *words) when(is bool, text string) {
	if is {
		*w = append(*w, text)
	}
}

func (w words) String() string { return strings.Join(w, ",") }

// dottedHex is bytes as ovs-ofctl writes them: two digits each, with dots between.
func dottedHex(s string) string { return strings.ReplaceAll(fmt.Sprintf("% x", s), " ", ".") }

// zeros reports whether s, which is padding, has no bit set.
func zeros(s string) bool { return strings.Trim(s, "\x00") == "" }

func u32Text(s string) string { return strconv.FormatUint(uint64(be32(s)), 10) }
