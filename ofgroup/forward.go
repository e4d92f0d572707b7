package ofgroup

import (
	"bytes"
	"fmt"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// RequestForward is the switch's news that another controller changed a group or a meter
// (OFPT_REQUESTFORWARD; OpenFlow 1.5.1, 7.4.6). Open vSwitch sends it to who asked for it
// by its asynchronous configuration, and writes the request anew: with the group's true
// type, with what was implied, and with an ADD for OVS's own AddOrMod. OpenFlow 1.3 has
// none; what Open vSwitch sends there instead is ofconn's to read.
type RequestForward struct {
	XID     uint32 // of the news; Open vSwitch's is 0
	Mod     *Mod   // what was done to a group; nil if it was something else
	Request []byte // the whole forwarded message, where Mod is nil
}

var errForward = fmt.Errorf("%w: not a forwarded request", ErrMalformed)

// ParseRequestForward decodes a whole OFPT_REQUESTFORWARD message. The result owns its
// memory. The error is an *Error that matches ErrMalformed.
func ParseRequestForward(msg []byte) (RequestForward, error) {
	h, err := checkForwardHeader(msg)
	if err != nil {
		return RequestForward{}, &Error{Op: "decode", Bucket: NoBucket, Err: err}
	}
	f := RequestForward{XID: h.XID}
	inner := msg[openflow.HeaderLen:]
	if inner[offForwardedType] != openflow.TypeGroupMod {
		f.Request = bytes.Clone(inner)
		return f, nil
	}
	f.Mod = new(Mod)
	if err := f.Mod.UnmarshalBinary(inner); err != nil {
		return RequestForward{}, err
	}
	return f, nil
}

const offForwardedType = 1

// checkForwardHeader reports whether msg is one whole message of the type, around another
// of the same version.
func checkForwardHeader(msg []byte) (openflow.Header, error) {
	h, err := openflow.ParseHeader(msg)
	if err != nil {
		return h, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	if h.Type != openflow.TypeRequestForward || h.Version != openflow.Version15 || int(h.Length) != len(msg) {
		return h, errForward
	}
	inner, err := openflow.ParseHeader(msg[openflow.HeaderLen:])
	if err != nil {
		return h, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	if inner.Version != h.Version || int(inner.Length) != len(msg)-openflow.HeaderLen {
		return h, errForward
	}
	return h, nil
}

// AppendBinary appends the message to b, as a switch sends it. The error is an *Error of
// the Mod, or ErrTooLarge.
func (f RequestForward) AppendBinary(b []byte) ([]byte, error) {
	inner := f.Request
	if f.Mod != nil {
		var err error
		if inner, err = f.Mod.MarshalBinary(); err != nil {
			return b, err
		}
	}
	n, ok := openflow.Narrow[uint16](openflow.HeaderLen + len(inner))
	if !ok {
		return b, &Error{Op: "encode", Bucket: NoBucket, Err: ErrTooLarge}
	}
	b = openflow.AppendHeader(b, openflow.Header{
		Version: openflow.Version15, Type: openflow.TypeRequestForward, Length: n, XID: f.XID,
	})
	return append(b, inner...), nil
}

// String is what was done, as Mod.String says it, or the bytes of what is no GROUP_MOD.
func (f RequestForward) String() string {
	if f.Mod != nil {
		return f.Mod.String()
	}
	return fmt.Sprintf("raw:%x", f.Request)
}
