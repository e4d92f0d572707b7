package ofgroup

import (
	"strconv"
	"strings"
)

// AppendActions appends the encodings of actions in version v, one behind the other, as
// they stand in a flow or a packet-out, and returns the extended slice. The error is the
// fault that an action carries, ErrVersion for one that v has no form for, or ErrTooLarge
// for more than an action or a message can hold in 1.3; then b comes back as it was.
func AppendActions(b []byte, v Version, actions ...Action) ([]byte, error) {
	start := len(b)
	for i := range actions {
		a := &actions[i]
		switch err := a.unfit(); {
		case err != nil:
			return b[:start], err
		case a.rare().only13 && v == OpenFlow15:
			enc, ok := appendActions15(b, a.encoding(), 0)
			if !ok {
				return b[:start], fault{ErrVersion, a.String() + " in " + v.String()}
			}
			b = enc
		default:
			b = append(b, a.encoding()...)
		}
	}
	switch v {
	case OpenFlow15:
		return b, nil
	case OpenFlow13:
		return listIn13(b, start)
	default:
		return b[:start], fault{ErrVersion, v.String()}
	}
}

// listIn13 is b with the list of actions from start on in its form in OpenFlow 1.3.
func listIn13(b []byte, start int) ([]byte, error) {
	list := string(b[start:])
	if !checkActions13(list, 0) {
		return b[:start], fault{ErrVersion, "an action without a form in " + OpenFlow13.String()}
	}
	if n := actionsLen13(list, 0); n > maxActionLen {
		return b[:start], fault{ErrTooLarge, strconv.Itoa(n) + " bytes of actions in " + OpenFlow13.String()}
	}
	return appendActions13(b[:start], list, 0), nil
}

// ActionsText is actions as ovs-ofctl writes what follows "actions=": drop if there
// are none.
func ActionsText(actions ...Action) string {
	var words []string
	for i := range actions {
		if a := &actions[i]; a.err() != nil || a.len() > 0 { // the zero Action is none
			words = append(words, a.String())
		}
	}
	if len(words) == 0 {
		return "drop"
	}
	return strings.Join(words, ",")
}
