package ofgroup

import "encoding/binary"

// The headers of OpenFlow 1.3: of a GROUP_MOD (7.3.4.2), of a group description
// (7.3.5.7), and of a bucket.
const (
	modHeaderLen13    = 16
	descHeaderLen13   = 8
	bucketHeaderLen13 = 16

	offBucketWeight13     = 2
	offBucketWatchPort13  = 4
	offBucketWatchGroup13 = 8
)

// appendBuckets13 appends the buckets of a group whose length and actions were checked.
func appendBuckets13(b []byte, g Group) []byte {
	for _, run := range g.buckets.runs {
		b = appendRun13(b, run, g.typ)
	}
	return b
}

func appendRun13(b []byte, run []Bucket, t Type) []byte {
	for i := range run {
		k := &run[i]
		weight, port, group := uint16(0), PortAny, AnyGroup
		switch {
		case k.has&hasWeight != 0:
			weight = k.number
		case t == Select:
			weight = defaultWeight
		}
		if k.has&hasWatchPort != 0 {
			port = k.oddity().watchPort
		}
		if k.has&hasWatchGroup != 0 {
			group = k.oddity().watchGroup
		}
		total := bucketHeaderLen13 + k.listLen13()
		b = binary.BigEndian.AppendUint64(b, uint64(total)<<48|uint64(weight)<<32|uint64(port))
		b = binary.BigEndian.AppendUint64(b, uint64(group)<<32)
		b = k.appendList13(b)
	}
	return b
}

// parse13 reads the bucket that s starts with into the zero b, and returns its length. b
// then shares the memory of s. It gets no number: the switch counts the buckets of such a
// group from 0, and so does a group without numbers here.
func (b *Bucket) parse13(s string, t Type) (int, error) {
	n, err := bucketLen(s, OpenFlow13)
	if err != nil {
		return 0, err
	}
	if w := be16(s[offBucketWeight13:]); w != 0 || t == Select {
		b.setWeight(w)
	}
	if p := Port(be32(s[offBucketWatchPort13:])); p != PortAny {
		b.setWatchPort(p)
	}
	if g := ID(be32(s[offBucketWatchGroup13:])); g != AnyGroup {
		b.setWatchGroup(g)
	}
	list, err := actionsFrom13(s[bucketHeaderLen13:n], 0)
	b.setActions(list)
	if only13(b.actions) {
		b.has |= hasOnly13
	}
	return n, err
}
