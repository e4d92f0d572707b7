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
		actions, props := k.listLen(), propsLen15(k, t)
		total := bucketHeaderLen15 + actions + props
		b = binary.BigEndian.AppendUint64(b, uint64(total)<<48|uint64(actions)<<32|uint64(id))
		b = k.appendList(b)
		switch {
		case props == 0:
		case k.has&(hasWeight|hasWatchPort|hasWatchGroup|hasRawProps) == hasWeight:
			b = appendProp(b, propWeight, uint32(k.number)<<16) // the usual one
		default:
			b = appendProps15(b, k, t)
		}
	}
	return b
}

// parseOutput15 reads the bucket that s, which has a whole one, starts with into the zero
// b, if it is nothing but an output, as all those of a multicast group are. b does not share
// the memory of s.
func parseOutput15[B string | []byte](b *Bucket, s B, t Type) bool {
	const n = bucketHeaderLen15 + outputLen
	if t == Select || len(s) < n || be32(s) != n<<16|outputLen {
		return false
	}
	p, ok := plainOutput(s[bucketHeaderLen15:n])
	if ok {
		b.number, b.id, b.has = p.short(), BucketID(be32(s[offBucketID15:])), hasID|hasOutput
	}
	return ok
}

// parse15 reads the bucket that s starts with into the zero b, and returns its length. b
// then shares the memory of s.
func (b *Bucket) parse15(s string, t Type) (int, error) {
	n, err := bucketLen(s, OpenFlow15)
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
	b.id, b.has = BucketID(be32(s[offBucketID15:])), hasID
	if err := b.setProps15(rest[actions:], t); err != nil {
		return 0, err
	}
	b.setActions(rest[:actions]) // now that it is known whether there is a weight
	return n, nil
}
