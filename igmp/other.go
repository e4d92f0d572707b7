package igmp

import "slices"

// Other is a message of a type that is none of membership's, kept raw: DVMRP, PIMv1, multicast traceroute, multicast
// router discovery (RFC 4286), whatever comes next.
type Other struct {
	// MessageType is the first byte. One that has a Go type of its own is ErrType.
	MessageType Type
	// Code is the second byte.
	Code uint8
	// Body is what follows the checksum, maybe nothing.
	Body []byte
}

// Type returns MessageType.
func (o *Other) Type() Type { return o.MessageType }

// Len returns 4 and the length of the body.
func (o *Other) Len() uint16 { return saturate(o.size()) }

func (o *Other) size() int { return minMessage + len(o.Body) }

// MarshalBinary returns the encoded message.
func (o *Other) MarshalBinary() ([]byte, error) { return marshal(o) }

// AppendBinary appends the message to b. On error b comes back as it was.
func (o *Other) AppendBinary(b []byte) ([]byte, error) {
	switch {
	case o.MessageType.membership():
		return b, encodeError(o.MessageType, "", ErrType)
	case o.size() > maxMessage:
		return b, encodeError(o.MessageType, "", ErrTooLong)
	}
	start := len(b)
	b = append(appendHeader(b, o.MessageType, o.Code), o.Body...)
	return finish(b, start), nil
}

// UnmarshalBinary is Parse for these types; one that has a Go type of its own is ErrType. On error o is unchanged.
func (o *Other) UnmarshalBinary(payload []byte) error {
	v := View{payload: payload}
	err := v.readMessage(payload)
	if v.Type.membership() {
		err = ErrType
	}
	if err != nil {
		return &Error{Op: "decode", Type: v.Type, Err: err}
	}
	*o = *v.other()
	return nil
}

func (v *View) other() *Other {
	o := &Other{MessageType: v.Type, Code: v.payload[offCode]}
	if len(v.payload) > minMessage {
		o.Body = slices.Clone(v.payload[minMessage:])
	}
	return o
}
