package ofgroup

import (
	"encoding/binary"
)

// The headers of OpenFlow 1.5: of a GROUP_MOD (7.3.4.3), of a group description
// (7.3.5.10), and of a bucket.
const (
	modHeaderLen15    = 24
	descHeaderLen15   = 16
	bucketHeaderLen15 = 8

	offModXID          = 4
	offModCommand      = 8
	offModType         = 10
	offModID           = 12
	offModBucketsLen15 = 16
	offModAt15         = 20

	offBucketActionsLen15 = 2
	offBucketID15         = 4
)

// appendBuckets15 appends the buckets of a numbered group, whose length was checked.
func appendBuckets15(b []byte, g Group) []byte {
	for i, k := range g.buckets.each {
		id := k.id
		if k.has&hasID == 0 {
			id = BucketID(i)
		}
		actions := len(k.actions)
		total := bucketHeaderLen15 + actions + propsLen15(k, g.typ)
		b = binary.BigEndian.AppendUint64(b, uint64(total)<<48|uint64(actions)<<32|uint64(id))
		b = append(b, k.actions...)
		b = appendProps15(b, k, g.typ)
	}
	return b
}

// parseBucket15 reads the bucket that s starts with. The result shares the memory of s.
func parseBucket15(s string, t Type) (Bucket, int, error) {
	n, err := bucketLen15(s)
	if err != nil {
		return Bucket{}, 0, err
	}
	actions := int(s[offBucketActionsLen15])<<8 | int(s[offBucketActionsLen15+1])
	if actions > n-bucketHeaderLen15 {
		return Bucket{}, 0, errActionLen
	}
	rest := s[bucketHeaderLen15:n]
	b := Bucket{actions: rest[:actions], id: BucketID(be32(s[offBucketID15:])), has: hasID}
	if err := checkActions(b.actions); err != nil {
		return Bucket{}, 0, err
	}
	return b, n, b.setProps15(rest[actions:], t)
}

// bucketLen15 is the declared length of the bucket that s starts with, checked against s.
func bucketLen15(s string) (int, error) {
	if len(s) < bucketHeaderLen15 {
		return 0, errBucketLen
	}
	n := int(s[0])<<8 | int(s[1])
	if n < bucketHeaderLen15 || n%8 != 0 || n > len(s) {
		return 0, errBucketLen
	}
	return n, nil
}

// checkActions reports whether s is a list of whole actions.
func checkActions(s string) error {
	for s != "" {
		n, err := actionLen(s)
		if err != nil {
			return err
		}
		s = s[n:]
	}
	return nil
}

func be16(s string) uint16 { return uint16(s[0])<<8 | uint16(s[1]) }

func be32(s string) uint32 { return uint32(be16(s))<<16 | uint32(be16(s[2:])) }
