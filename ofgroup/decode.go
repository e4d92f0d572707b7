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
// meaning, is written as zeros): unknown actions and properties are kept as they are. m owns
// its memory, and is unchanged if the bytes are no such message; the error is then an *Error
// that matches ErrMalformed.
func (m *Mod) UnmarshalBinary(data []byte) error {
	v, err := checkModHeader(data)
	if err != nil {
		return &Error{Op: "decode", Bucket: NoBucket, Err: err}
	}
	dec := Mod{
		version: v,
		length:  uint16(len(data)),
		xid:     be32(data[offModXID:]),
		cmd:     Command(be16(data[offModCommand:])),
		at:      AllBuckets,
		group:   New(ID(be32(data[offModID:])), Type(data[offModType])),
	}
	buckets := data[modHeaderLen(v):]
	if v == OpenFlow15 {
		dec.at = BucketID(be32(data[offModAt15:]))
		n := int(be16(data[offModBucketsLen15:]))
		if n > len(buckets) {
			return &Error{Op: "decode", ID: dec.group.id, Bucket: NoBucket, Err: errBucketLen}
		}
		dec.group.setProps(string(buckets[n:]))
		buckets = buckets[:n]
	}
	if err := parse(&dec.group, buckets, v); err != nil {
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
	case v.check() != nil:
		return 0, fmt.Errorf("%w: %v", ErrMalformed, v)
	case int(h.Length) != len(data), len(data) < modHeaderLen(v):
		return 0, errModLen
	}
	return v, nil
}

// parse reads the buckets into g, and checks its properties, which are set already. What
// the buckets keep of s is one copy of it, or s itself if that is a string.
func parse[B string | []byte](g *Group, s B, v Version) error {
	count, err := countBuckets(s, v)
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
	kept := ""
	for i, at := 0, 0; i < count; i++ {
		b := &bs[i]
		if v == OpenFlow15 && parseOutput15(b, s[at:], g.typ) {
			at += bucketHeaderLen15 + outputLen
			continue
		}
		if kept == "" {
			kept = string(s)
		}
		n, err := b.parse(kept[at:], g.typ, v)
		if err != nil {
			return &Error{Op: "decode", ID: g.id, Bucket: i, Err: err}
		}
		at += n
	}
	g.setBuckets(bs)
	return nil
}

func (b *Bucket) parse(s string, t Type, v Version) (int, error) {
	if v == OpenFlow13 {
		return b.parse13(s, t)
	}
	return b.parse15(s, t)
}

// countBuckets walks over the lengths of the buckets, so that one allocation holds them.
// It returns the position of a wrong one with its error.
func countBuckets[B string | []byte](s B, v Version) (int, error) {
	for i := 0; ; i++ {
		if len(s) == 0 {
			return i, nil
		}
		n, err := bucketLen(s, v)
		if err != nil {
			return i, err
		}
		s = s[n:]
	}
}

// bucketLen is the declared length of the bucket that s starts with, checked against s.
func bucketLen[B string | []byte](s B, v Version) (int, error) {
	head := bucketHeaderLen(v)
	if len(s) < head {
		return 0, errBucketLen
	}
	n := int(be16(s))
	if n < head || n%8 != 0 || n > len(s) {
		return 0, errBucketLen
	}
	return n, nil
}
