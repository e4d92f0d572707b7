package ofgroup

import "unique"

// oddities is what most buckets have nothing of. It stands behind a handle so that a Bucket
// is small, for groups have many, and still comparable.
type oddities struct {
	key string // for a Table, never sent

	// props is the list of properties as it was received, in OpenFlow 1.5, when that
	// is not what this package would write for the values of the bucket: unknown
	// properties, another order. It is then sent as it is.
	props string

	fault      error // a comparable one, the first of the actions'
	watchPort  Port
	watchGroup ID
}

// oddity is what the bucket has of them, all zero for most.
func (b *Bucket) oddity() oddities {
	if b.odd == (unique.Handle[oddities]{}) {
		return oddities{}
	}
	return b.odd.Value()
}

// setOddity gives the bucket these, and says which of has are now given and which are not.
func (b *Bucket) setOddity(o oddities, given, not bucketHas) {
	b.odd, b.has = unique.Handle[oddities]{}, b.has&^not|given
	if o != (oddities{}) {
		b.odd = unique.Make(o)
	}
}

func faultyBucket(err error) (b Bucket) {
	b.setOddity(oddities{fault: err}, hasFault, 0)
	return b
}

func (b *Bucket) setKey(key string) {
	odd := b.oddity()
	odd.key = key
	if key == "" {
		b.setOddity(odd, 0, hasKey)
		return
	}
	b.setOddity(odd, hasKey, 0)
}

func (b *Bucket) setRawProps(props string) {
	odd := b.oddity()
	odd.props = props
	b.setOddity(odd, hasRawProps, 0)
}

func (b *Bucket) setWatchPort(p Port) {
	odd := b.oddity()
	odd.watchPort = p
	b.setOddity(odd, hasWatchPort, 0)
}

func (b *Bucket) setWatchGroup(id ID) {
	odd := b.oddity()
	odd.watchGroup = id
	b.setOddity(odd, hasWatchGroup, 0)
}
