package ofgroup

import (
	"encoding/binary"
	"slices"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// AppendBinary appends the encoded message to b and returns the extended slice. It
// allocates only where b lacks room for Len bytes. Encoding again gives the same bytes.
// The transaction ID is XID.
//
// The one message that is not encoded is a decoded InsertBucket without buckets, at a
// place where it would hang Open vSwitch for good: ErrEmptyInsert.
func (m *Mod) AppendBinary(b []byte) ([]byte, error) {
	if err := m.sendable(); err != nil {
		return b, &Error{Op: "encode", ID: m.group.id, Bucket: NoBucket, Err: err}
	}
	b = slices.Grow(b, int(m.length))
	b = openflow.AppendHeader(b, openflow.Header{
		Version: uint8(m.version), Type: openflow.TypeGroupMod, Length: m.length, XID: m.xid,
	})
	b = binary.BigEndian.AppendUint16(b, uint16(m.cmd))
	b = append(b, uint8(m.group.typ), 0)
	b = binary.BigEndian.AppendUint32(b, uint32(m.group.id))
	if m.version == OpenFlow13 {
		return appendBuckets13(b, m.group), nil
	}
	buckets, _ := openflow.Narrow[uint16](int(m.length) - modHeaderLen15 - len(m.group.props()))
	b = binary.BigEndian.AppendUint16(b, buckets)
	b = append(b, 0, 0)
	b = binary.BigEndian.AppendUint32(b, uint32(m.at))
	b = appendBuckets15(b, m.group)
	return append(b, m.group.props()...), nil
}

// MarshalBinary is AppendBinary to a new slice.
func (m *Mod) MarshalBinary() ([]byte, error) {
	return m.AppendBinary(make([]byte, 0, m.length))
}

// sendable reports why the message must not be sent.
func (m *Mod) sendable() error {
	switch {
	case m.version == 0:
		return fault{ErrVersion, "the zero Mod"}
	case m.cmd != InsertBucket || m.group.Len() > 0:
		return nil
	case m.at == FirstBucket, m.at <= MaxBucketID: // seen to do nothing
		return nil
	}
	return ErrEmptyInsert
}
