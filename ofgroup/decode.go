package ofgroup

import (
	"fmt"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// What makes bytes malformed.
var (
	errModHeader = fmt.Errorf("%w: not a GROUP_MOD", ErrMalformed)
	errModLen    = fmt.Errorf("%w: message length", ErrMalformed)
	errEntryLen  = fmt.Errorf("%w: description length", ErrMalformed)
	errBucketLen = fmt.Errorf("%w: bucket length", ErrMalformed)
	errActionLen = fmt.Errorf("%w: action length", ErrMalformed)
	errPropLen   = fmt.Errorf("%w: property length", ErrMalformed)
	errNot13     = fmt.Errorf("%w: an action that OpenFlow 1.3 does not have", ErrMalformed)
)

// UnmarshalBinary decodes one whole GROUP_MOD, of OpenFlow 1.3 or 1.5, of any command,
// and of a group that this package would refuse to send. What it decodes is encoded to the
// same bytes again (the padding in the headers of messages and of buckets, which has no
// meaning, is written as zeros): unknown actions and properties are kept as they are. m owns its memory, and
// is unchanged if the bytes are no such message; the error is then an *Error that matches
// ErrMalformed.
func (m *Mod) UnmarshalBinary(data []byte) error {
	v, err := checkModHeader(data)
	if err != nil {
		return &Error{Op: "decode", Bucket: NoBucket, Err: err}
	}
	s := string(data) // the only copy: buckets and properties are parts of it
	dec := Mod{
		version: v,
		length:  uint16(len(s)),
		xid:     be32(s[offModXID:]),
		cmd:     Command(be16(s[offModCommand:])),
		at:      AllBuckets,
		group:   Group{id: ID(be32(s[offModID:])), typ: Type(s[offModType])},
	}
	buckets := s[modHeaderLen(v):]
	if v == OpenFlow15 {
		dec.at = BucketID(be32(s[offModAt15:]))
		n := int(be16(s[offModBucketsLen15:]))
		if n > len(buckets) {
			return &Error{Op: "decode", ID: dec.group.id, Bucket: NoBucket, Err: errBucketLen}
		}
		dec.group.setProps(buckets[n:])
		buckets = buckets[:n]
	}
	if err := dec.group.parse(buckets, v); err != nil {
		return err
	}
	*m = dec
	return nil
}

// checkModHeader reports whether data is as long as a GROUP_MOD says it is.
func checkModHeader(data []byte) (Version, error) {
	h, err := openflow.ParseHeader(data)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	v := Version(h.Version)
	switch {
	case h.Type != openflow.TypeGroupMod:
		return 0, errModHeader
	case v != OpenFlow13 && v != OpenFlow15:
		return 0, fmt.Errorf("%w: %v", ErrMalformed, v)
	case int(h.Length) != len(data), len(data) < modHeaderLen(v):
		return 0, errModLen
	}
	return v, nil
}

// parse reads the buckets into g, and checks its properties, which are set already.
func (g *Group) parse(buckets string, v Version) error {
	count, err := countBuckets(buckets, v)
	if err != nil {
		return &Error{Op: "decode", ID: g.id, Bucket: count, Err: err}
	}
	if err := checkProps(g.props()); err != nil {
		return &Error{Op: "decode", ID: g.id, Bucket: NoBucket, Err: err}
	}
	if count == 0 {
		return nil
	}
	bs := make([]Bucket, count)
	for i := range bs {
		n := 0
		if v == OpenFlow13 {
			n, err = bs[i].parse13(buckets, g.typ)
		} else {
			n, err = bs[i].parse15(buckets, g.typ)
		}
		if err != nil {
			return &Error{Op: "decode", ID: g.id, Bucket: i, Err: err}
		}
		buckets = buckets[n:]
	}
	g.buckets, g.ids = listOf(bs), v == OpenFlow15
	return nil
}

// countBuckets walks over the lengths of the buckets, so that one allocation holds them.
// It returns the position of a wrong one with its error.
func countBuckets(s string, v Version) (int, error) {
	for i := 0; ; i++ {
		if s == "" {
			return i, nil
		}
		n, err := bucketLen15(s)
		if v == OpenFlow13 {
			n, err = bucketLen13(s)
		}
		if err != nil {
			return i, err
		}
		s = s[n:]
	}
}
