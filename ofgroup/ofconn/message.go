package ofconn

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// Message is one of this package's requests to a switch: a pure value.
type Message interface {
	// AppendMessage appends the whole message in version v to b, with the
	// transaction ID 0, and returns the extended slice. Doing it again gives the
	// same bytes. The error is ofgroup.ErrVersion, ErrTooLarge, or the fault of
	// what the message holds; then b comes back as it was.
	AppendMessage(b []byte, v ofgroup.Version) ([]byte, error)
}

// ErrTooLarge says that a message would be longer than the 65,535 bytes that
// OpenFlow can say.
var ErrTooLarge = errors.New("message too large")

// appendMessage appends a message of the given type, whose body is what body
// appends. It is where the length is set, once it is known and checked.
func appendMessage(b []byte, v ofgroup.Version, typ uint8, body func([]byte) ([]byte, error)) ([]byte, error) {
	if v != ofgroup.OpenFlow13 && v != ofgroup.OpenFlow15 {
		return b, fmt.Errorf("ofconn: %v: %w", v, ofgroup.ErrVersion)
	}
	start := len(b)
	whole, err := body(openflow.AppendHeader(b, openflow.Header{Version: uint8(v), Type: typ}))
	if err != nil {
		return b, err
	}
	const offLength = 2
	if err := putLength(whole[start:], offLength, len(whole)-start); err != nil {
		return b, err
	}
	return whole, nil
}

// putLength writes a length of 16 bits into m, unless it has more.
func putLength(m []byte, at, length int) error {
	n, ok := openflow.Narrow[uint16](length)
	if !ok {
		return fmt.Errorf("ofconn: %w: %d bytes", ErrTooLarge, length)
	}
	binary.BigEndian.PutUint16(m[at:], n)
	return nil
}

// appendZeros appends n bytes of padding.
func appendZeros(b []byte, n int) []byte {
	b = slices.Grow(b, n)
	clear(b[len(b) : len(b)+n])
	return b[:len(b)+n]
}

// align rounds up to a multiple of 8.
func align(n int) int { return (n + 7) &^ 7 }

// appendNicira appends one of Open vSwitch's own messages: its body follows the
// vendor and a subtype.
func appendNicira(b []byte, v ofgroup.Version, subtype uint32, body ...byte) ([]byte, error) {
	return appendMessage(b, v, openflow.TypeExperimenter, func(b []byte) ([]byte, error) {
		b = binary.BigEndian.AppendUint32(b, openflow.NiciraVendor)
		return append(binary.BigEndian.AppendUint32(b, subtype), body...), nil
	})
}

// checkMessage reads the header of a whole message that must be of this type
// and have at least this length.
func checkMessage(msg []byte, typ uint8, atLeast int) (openflow.Header, error) {
	h, err := openflow.ParseHeader(msg)
	switch {
	case err != nil:
		return h, malformed(err.Error())
	case h.Type != typ:
		return h, malformed("message of another type")
	case h.Version != openflow.Version13 && h.Version != openflow.Version15:
		return h, malformed("version")
	case int(h.Length) != len(msg), len(msg) < atLeast:
		return h, malformed("message length")
	}
	return h, nil
}

// malformed is an error that matches ofgroup.ErrMalformed.
func malformed(what string) error {
	return fmt.Errorf("ofconn: %w: %s", ofgroup.ErrMalformed, what)
}
