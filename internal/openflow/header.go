package openflow

import (
	"encoding/binary"
	"errors"
)

// HeaderLen is the length of the header that starts every OpenFlow message
// (OpenFlow 1.5.1, 7.1.1).
const HeaderLen = 8

// Offsets of the header's fields within a message.
const (
	offVersion = 0
	offType    = 1
	offLength  = 2
	offXID     = 4
)

// MaxLen is the largest message: the header's length field has 16 bits.
const MaxLen = 0xffff

var (
	// ErrShort says that fewer than HeaderLen bytes were given to ParseHeader.
	ErrShort = errors.New("openflow: message shorter than its header")

	// ErrLength says that a header declares a length below HeaderLen. A stream
	// that sends one cannot be followed any further.
	ErrLength = errors.New("openflow: declared length below the header's own")
)

// Header is the header of an OpenFlow message.
type Header struct {
	Version uint8  // wire version: 4 is OpenFlow 1.3, 6 is OpenFlow 1.5
	Type    uint8  // message type, one of the Type constants
	Length  uint16 // of the whole message, header included, in bytes
	XID     uint32 // transaction ID, chosen by the requester
}

// AppendHeader appends h to b.
func AppendHeader(b []byte, h Header) []byte {
	b = append(b, h.Version, h.Type)
	b = binary.BigEndian.AppendUint16(b, h.Length)
	return binary.BigEndian.AppendUint32(b, h.XID)
}

// ParseHeader reads the header at the start of b. It does not ask that the whole
// message is there: the caller compares Length with what it has. The errors are
// ErrShort and ErrLength.
func ParseHeader(b []byte) (Header, error) {
	if len(b) < HeaderLen {
		return Header{}, ErrShort
	}
	h := Header{
		Version: b[offVersion],
		Type:    b[offType],
		Length:  binary.BigEndian.Uint16(b[offLength:]),
		XID:     binary.BigEndian.Uint32(b[offXID:]),
	}
	if h.Length < HeaderLen {
		return Header{}, ErrLength
	}
	return h, nil
}

// PutXID writes the transaction ID into an encoded message, which must be at least
// HeaderLen long. Whoever sends a message numbers its encoded copy this way.
func PutXID(msg []byte, xid uint32) {
	binary.BigEndian.PutUint32(msg[offXID:HeaderLen], xid)
}
