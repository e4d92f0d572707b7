package ofconn

import (
	"encoding/binary"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// A multipart message is the header, a type, flags, four bytes of padding and
// the body (OpenFlow 1.5.1, 7.3.5). The body of an answer may come in several
// messages under one transaction ID.
const (
	offMultipartType  = openflow.HeaderLen
	offMultipartFlags = 10
)

// multipart is one part of an answer; body aliases the read buffer.
type multipart struct {
	kind, flags uint16
	body        []byte
}

// parseMultipart reads a whole OFPT_MULTIPART_REPLY; false if it is too short.
func parseMultipart(msg []byte) (multipart, bool) {
	if len(msg) < openflow.MultipartHeaderLen {
		return multipart{}, false
	}
	return multipart{
		kind:  binary.BigEndian.Uint16(msg[offMultipartType:]),
		flags: binary.BigEndian.Uint16(msg[offMultipartFlags:]),
		body:  msg[openflow.MultipartHeaderLen:],
	}, true
}

// appendMultipartRequest appends a request of one part; the transaction ID is
// set when it is sent. body is short: its callers' own.
func appendMultipartRequest(b []byte, version uint8, kind uint16, body []byte) []byte {
	b = openflow.AppendHeader(b, openflow.Header{
		Version: version, Type: openflow.TypeMultipartRequest,
		Length: uint16(openflow.MultipartHeaderLen + len(body)),
	})
	b = binary.BigEndian.AppendUint16(b, kind)
	return append(append(b, make([]byte, 6)...), body...) // flags and padding
}
