package ofgroup

// numbered is g with a number on every bucket, if any bucket has an explicit one:
// those without get the lowest numbers that are free, in their order. Where no bucket
// has one g comes back as it is, and a bucket's number is its position, so that the
// usual group is not copied. (Open vSwitch's own tools, numbering a mixed list, look
// only at the explicit numbers still to come and so give some twice.)
func (g Group) numbered() Group {
	if g.has&hasID == 0 {
		return g
	}
	explicit := 0
	for _, b := range g.buckets.each {
		if b.has&hasID != 0 {
			explicit++
		}
	}
	if explicit == g.Len() {
		return g
	}
	taken := make(map[BucketID]struct{}, explicit)
	for _, b := range g.buckets.each {
		if b.has&hasID != 0 {
			taken[b.id] = struct{}{}
		}
	}
	bs := make([]Bucket, g.Len())
	g.buckets.copyTo(bs)
	next := BucketID(0)
	for i := range bs {
		b := &bs[i]
		if b.has&hasID != 0 {
			continue
		}
		for _, ok := taken[next]; ok; _, ok = taken[next] {
			next++
		}
		b.id, b.has = next, b.has|hasID
		next++
	}
	g.setBuckets(bs)
	return g
}

// onWire is b, the bucket at position i of a numbered group of type t, with everything in
// it that is sent, and nothing else: its number, and the weight that a Select group always
// carries, but no key.
func (b Bucket) onWire(i int, t Type) Bucket {
	if b.has&hasKey != 0 {
		b.setKey("")
	}
	b.id, b.has = b.numberAt(i), b.has|hasID
	if t == Select && b.has&(hasWeight|hasRawProps) == 0 {
		b.setWeight(defaultWeight)
	}
	return b
}

// numberAt is the number of b, the bucket at position i of a numbered group.
func (b *Bucket) numberAt(i int) BucketID {
	if b.has&hasID != 0 {
		return b.id
	}
	return BucketID(i)
}

// defaultWeight is that of a bucket of a Select group to which none was given.
const defaultWeight = 1

// Equal reports whether g and o are the same to a switch: number, type, properties, and
// the same buckets in the same order. A bucket without an explicit number is the same as
// one that has the number it will get, and in a Select group no weight is the same as
// weight 1; so a group equals what an OpenFlow 1.5 switch describes after it was sent. Keys
// are never sent and do not count.
func (g Group) Equal(o Group) bool {
	if g.id != o.id || g.typ != o.typ || g.props() != o.props() || g.Len() != o.Len() {
		return false
	}
	if g.buckets == o.buckets { // the same memory, as of values that were copied
		return true
	}
	g, o = g.numbered(), o.numbered()
	for i, b := range g.buckets.each {
		c := o.buckets.at(i)
		if *b != *c && b.onWire(i, g.typ) != c.onWire(i, g.typ) {
			return false
		}
	}
	return true
}
