package ofgroup

import (
	"encoding/binary"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// Offsets within an entry of a group description reply, which in OpenFlow 1.5 also says
// how long its buckets are (1.3.5, 7.3.5.7; 1.5.1, 7.3.5.10).
const (
	offDescType         = 2
	offDescID           = 4
	offDescBucketsLen15 = 8
)

// ParseGroupDesc decodes the groups in a reply to a group description request
// (OFPMP_GROUP_DESC): body is what follows the 16 bytes of the multipart header. A reply
// in several parts is decoded part by part, as a switch cuts it only between groups. The
// groups own their memory, of which those of one reply share a copy of body, and are
// described again to the same bytes, as with Mod.UnmarshalBinary. A malformed body gives no
// group, and an *Error that matches ErrMalformed.
func ParseGroupDesc(v Version, body []byte) ([]Group, error) {
	if err := v.check(); err != nil {
		return nil, &Error{Op: "decode", Bucket: NoBucket, Err: err}
	}
	var groups []Group
	for s := string(body); s != ""; {
		if len(s) < descHeaderLen(v) {
			return nil, &Error{Op: "decode", Bucket: NoBucket, Err: errEntryLen}
		}
		n := int(be16(s))
		g := New(ID(be32(s[offDescID:])), Type(s[offDescType]))
		if n < descHeaderLen(v) || n > len(s) {
			return nil, &Error{Op: "decode", ID: g.id, Bucket: NoBucket, Err: errEntryLen}
		}
		buckets := s[descHeaderLen(v):n]
		if v == OpenFlow15 {
			k := int(be16(s[offDescBucketsLen15:]))
			if k > len(buckets) {
				return nil, &Error{Op: "decode", ID: g.id, Bucket: NoBucket, Err: errBucketLen}
			}
			g.setProps(buckets[k:])
			buckets = buckets[:k]
		}
		if err := parse(&g, buckets, v); err != nil {
			return nil, err
		}
		groups = append(groups, g)
		s = s[n:]
	}
	return groups, nil
}

// AppendGroupDesc appends the description of g to b, as the entry a switch puts into its
// reply. The error is an *Error: ErrTooLarge, or ErrVersion for what v cannot say.
func AppendGroupDesc(b []byte, v Version, g Group) ([]byte, error) {
	if err := v.check(); err != nil {
		return b, &Error{Op: "describe", ID: g.id, Bucket: NoBucket, Err: err}
	}
	g, i, err := g.inVersion(v)
	if err != nil {
		return b, &Error{Op: "describe", ID: g.id, Bucket: i, Err: err}
	}
	n, err := g.measure(v)
	if err != nil {
		return b, &Error{Op: "describe", ID: g.id, Bucket: NoBucket, Err: err}
	}
	g = g.numbered()
	buckets, _ := openflow.Narrow[uint16](n) // both fit: they were measured
	total, _ := openflow.Narrow[uint16](descHeaderLen(v) + n + len(g.props()))
	b = binary.BigEndian.AppendUint16(b, total)
	b = append(b, uint8(g.typ), 0)
	b = binary.BigEndian.AppendUint32(b, uint32(g.id))
	if v == OpenFlow13 {
		return appendBuckets13(b, g), nil
	}
	b = binary.BigEndian.AppendUint16(b, buckets)
	b = append(b, 0, 0, 0, 0, 0, 0)
	b = appendBuckets15(b, g)
	return append(b, g.props()...), nil
}
