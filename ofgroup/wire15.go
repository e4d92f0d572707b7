package ofgroup

import "encoding/binary"

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
	for first, run := range g.buckets.runs {
		b = appendRun15(b, first, run, g.typ)
	}
	return b
}

func appendRun15(b []byte, first int, run []Bucket, t Type) []byte {
	for i := range run {
		k := &run[i]
		id := k.id
		if k.has&hasID == 0 {
			id = BucketID(first + i)
		}
		actions := len(k.actions)
		total := bucketHeaderLen15 + actions + propsLen15(k, t)
		b = binary.BigEndian.AppendUint64(b, uint64(total)<<48|uint64(actions)<<32|uint64(id))
		b = append(b, k.actions...)
		b = appendProps15(b, k, t)
	}
	return b
}

// parse15 reads the bucket that s starts with into the zero b, and returns its length. b
// then shares the memory of s.
func (b *Bucket) parse15(s string, t Type) (int, error) {
	n, err := bucketLen15(s)
	if err != nil {
		return 0, err
	}
	actions := int(be16(s[offBucketActionsLen15:]))
	if actions > n-bucketHeaderLen15 {
		return 0, errActionLen
	}
	rest := s[bucketHeaderLen15:n]
	if err := checkActions(rest[:actions]); err != nil {
		return 0, err
	}
	b.actions, b.id, b.has = rest[:actions], BucketID(be32(s[offBucketID15:])), hasID
	return n, b.setProps15(rest[actions:], t)
}

// bucketLen15 is the declared length of the bucket that s starts with, checked against s.
func bucketLen15(s string) (int, error) {
	if len(s) < bucketHeaderLen15 {
		return 0, errBucketLen
	}
	n := int(be16(s))
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
