package igmp

import (
	"encoding"
	"encoding/binary"
	"net/netip"
)

// Message is one IGMP message: *Query, *ReportV1, *ReportV2, *Leave, *ReportV3 or *Other. The set is sealed. Messages
// are plain values that own their memory; reading one from several goroutines is safe while none writes it.
//
// A message does not change when it is encoded, and the checksum is always computed, never kept.
type Message interface {
	encoding.BinaryAppender
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler

	// Type returns the message's first byte.
	Type() Type
	// Len returns the encoded length in bytes, without IP header. It saturates at 65535, which is more than an IPv4
	// packet can hold, so encoding fails then.
	Len() uint16

	size() int
}

// Parse decodes an IGMP message: the whole payload of an IPv4 packet of protocol 2, as cut by the packet's total
// length, because trailing bytes count in the checksum and decide a query's version. The result owns its memory. The
// error is an *Error around one of the sentinels from ErrTooShort to ErrRecords, or ErrTooLong.
func Parse(payload []byte) (Message, error) {
	v := View{payload: payload}
	if err := v.readMessage(payload); err != nil {
		return nil, &Error{Op: "decode", Type: v.Type, Err: err}
	}
	return v.message(), nil
}

// Message returns a copy of the View's message that owns its memory, nil unless Layer is LayerIGMP.
func (v *View) Message() Message {
	if v.Layer != LayerIGMP {
		return nil
	}
	return v.message()
}

func (v *View) message() Message {
	switch v.Type {
	case TypeQuery:
		return v.query()
	case TypeReportV1:
		return &ReportV1{Group: v.Group}
	case TypeReportV2:
		return &ReportV2{Group: v.Group}
	case TypeLeave:
		return &Leave{Group: v.Group}
	case TypeReportV3:
		return v.reportV3()
	}
	return v.other()
}

// readAs reads p as a message of type t.
func (v *View) readAs(t Type, p []byte) error {
	v.payload = p
	err := v.readMessage(p)
	if len(p) > 0 && v.Type != t {
		err = ErrType
	}
	if err != nil {
		return &Error{Op: "decode", Type: v.Type, Err: err}
	}
	return nil
}

// absent reports whether m is nil, or a nil pointer to a message.
func absent(m Message) bool {
	switch m := m.(type) {
	case *Query:
		return m == nil
	case *ReportV1:
		return m == nil
	case *ReportV2:
		return m == nil
	case *Leave:
		return m == nil
	case *ReportV3:
		return m == nil
	case *Other:
		return m == nil
	}
	return m == nil
}

func saturate(size int) uint16 { return uint16(min(size, 0xffff)) }

// marshal is MarshalBinary for all messages: one allocation of the right size.
func marshal(m Message) ([]byte, error) {
	return m.AppendBinary(make([]byte, 0, m.Len()))
}

// appendHeader appends the first four bytes of a message, with a checksum of zero.
func appendHeader(b []byte, t Type, code uint8) []byte {
	return append(b, byte(t), code, 0, 0)
}

// finish sets the checksum of the message that begins at start.
func finish(b []byte, start int) []byte {
	setChecksum(b[start:], offChecksum)
	return b
}

// appendAddr appends an IPv4 address. The zero Addr is refused like IPv6: a forgotten field must not become 0.0.0.0.
func appendAddr(b []byte, a netip.Addr) ([]byte, error) {
	a = a.Unmap()
	if !a.Is4() {
		return b, ErrAddress
	}
	a4 := a.As4()
	return append(b, a4[:]...), nil
}

// appendCount appends a 16-bit count. Messages over maxMessage are refused before, so no list of 4-byte items is long
// enough to wrap it.
func appendCount(b []byte, n int) []byte {
	return binary.BigEndian.AppendUint16(b, uint16(n))
}
