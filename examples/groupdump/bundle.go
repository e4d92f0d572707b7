package main

import (
	"fmt"
	"strings"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// decodeBundle reads what is said of a bundle: in OpenFlow 1.3 by experimenter messages, of which
// there are others.
func decodeBundle(msg []byte) (decoded, error) {
	if c, ok := openflow.ParseBundleControl(msg); ok {
		return comment(fmt.Sprintf("bundle_id=%d type=%s flags=%s", c.ID, stepText(c.Step), flagText(c.Flags)),
			func() ([]byte, error) { return numbered(openflow.AppendBundleControl(nil, msg[0], c), msg), nil }), nil
	}
	a, ok := openflow.ParseBundleAdd(msg)
	if !ok {
		return decoded{}, fmt.Errorf("%w: OpenFlow type %d", errType, msg[1])
	}
	inner := comment(fmt.Sprintf("bundle_id=%d %s", a.ID, kindOf(a.Message)),
		func() ([]byte, error) { return a.Message, nil }) // flows are bundled, too
	if a.Message[1] == openflow.TypeGroupMod {
		var err error
		if inner, err = decodeMod(a.Message); err != nil {
			return decoded{}, err
		}
	}
	return decoded{inner.lines, func() ([]byte, error) {
		again, err := inner.encode()
		if err != nil {
			return nil, err
		}
		b, ok := openflow.AppendBundleAdd(nil, msg[0], openflow.BundleAdd{ID: a.ID, Flags: a.Flags, Message: again})
		if !ok {
			return nil, errLength
		}
		return numbered(b, msg), nil
	}}, nil
}

// stepText is ovs-ofctl's word for a step.
func stepText(s openflow.BundleStep) string {
	words := [...]string{
		"OPEN_REQUEST", "OPEN_REPLY", "CLOSE_REQUEST", "CLOSE_REPLY",
		"COMMIT_REQUEST", "COMMIT_REPLY", "DISCARD_REQUEST", "DISCARD_REPLY",
	}
	if int(s) < len(words) {
		return words[s]
	}
	return fmt.Sprintf("0x%x", uint16(s))
}

// flagText is a bundle's flags in ovs-ofctl's words.
func flagText(flags uint16) string {
	var words []string
	if flags&openflow.BundleAtomic != 0 {
		words = append(words, "atomic")
	}
	if flags&openflow.BundleOrdered != 0 {
		words = append(words, "ordered")
	}
	if rest := flags &^ (openflow.BundleAtomic | openflow.BundleOrdered); rest != 0 || len(words) == 0 {
		words = append(words, fmt.Sprintf("%#x", rest))
	}
	return strings.Join(words, " ")
}
