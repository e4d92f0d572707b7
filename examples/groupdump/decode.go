package main

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// decoded is a message that was understood. Its lines are what ovs-ofctl add-groups takes, or begin
// with "# ", a comment there, where the message says something else.
type decoded struct {
	lines  []string
	encode func() ([]byte, error)
}

var (
	errLength = errors.New("length")
	errType   = errors.New("not a message about groups")
)

// decode reads one whole message.
func decode(msg []byte) (decoded, error) {
	h, err := openflow.ParseHeader(msg)
	switch {
	case err != nil:
		return decoded{}, err
	case int(h.Length) != len(msg):
		return decoded{}, fmt.Errorf("%w: the message says %d bytes and has %d", errLength, h.Length, len(msg))
	}
	switch h.Type {
	case openflow.TypeGroupMod:
		return decodeMod(msg)
	case openflow.TypeMultipartReply:
		return decodeReply(msg)
	case openflow.TypeMultipartRequest:
		return decodeRequest(msg)
	case openflow.TypeRequestForward:
		return decodeForward(msg)
	case openflow.TypeError:
		return decodeError(msg)
	case openflow.TypeBundleControl, openflow.TypeBundleAdd, openflow.TypeExperimenter:
		return decodeBundle(msg)
	}
	return decoded{}, fmt.Errorf("%w: OpenFlow type %d", errType, h.Type)
}

func decodeMod(msg []byte) (decoded, error) {
	m := new(ofgroup.Mod)
	if err := m.UnmarshalBinary(msg); err != nil {
		return decoded{}, err
	}
	return decoded{[]string{m.String()}, m.MarshalBinary}, nil
}

func decodeRequest(msg []byte) (decoded, error) {
	if _, err := multipartKind(msg); err != nil {
		return decoded{}, err
	}
	r, err := ofgroup.ParseRequest(msg)
	if err != nil {
		return decoded{}, err
	}
	return comment(r.String(), func() ([]byte, error) {
		b, err := r.AppendMessage(nil, ofgroup.Version(msg[0]))
		return numbered(b, msg), err
	}), nil
}

func decodeForward(msg []byte) (decoded, error) {
	f, err := ofgroup.ParseRequestForward(msg)
	if err != nil {
		return decoded{}, err
	}
	encode := func() ([]byte, error) { return f.AppendBinary(nil) }
	if f.Mod == nil {
		return comment("forwarded: "+kindOf(f.Request), encode), nil
	}
	return decoded{[]string{f.String()}, encode}, nil
}

// decodeError prints what was refused, too, as far as the switch quotes it.
func decodeError(msg []byte) (decoded, error) {
	e, err := ofgroup.ParseSwitchError(msg)
	if err != nil {
		return decoded{}, err
	}
	text := e.Error()
	if request := quoted(e.Data); request != nil {
		text += ": " + request.String()
	}
	return comment(text, func() ([]byte, error) { return e.AppendMessage(nil, ofgroup.Version(msg[0])) }), nil
}

// quoted is the GROUP_MOD in the bytes, alone or in a bundle, or nil.
func quoted(msg []byte) *ofgroup.Mod {
	if a, ok := openflow.ParseBundleAdd(msg); ok {
		msg = a.Message
	}
	m := new(ofgroup.Mod)
	if m.UnmarshalBinary(msg) != nil {
		return nil
	}
	return m
}

const commentMark = "# "

func comment(text string, encode func() ([]byte, error)) decoded {
	return decoded{[]string{commentMark + text}, encode}
}

// numbered gives an encoded message the transaction ID of the one that it was decoded from.
func numbered(b, from []byte) []byte {
	if len(b) >= openflow.HeaderLen {
		openflow.PutXID(b, binary.BigEndian.Uint32(from[4:]))
	}
	return b
}

// kindOf is what can be said of a message that is not about groups.
func kindOf(msg []byte) string {
	return fmt.Sprintf("a message of OpenFlow type %d, %d bytes", msg[1], len(msg))
}
