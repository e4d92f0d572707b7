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
	bs := g.buckets.copied()
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

// numberAt is the number of b, the bucket at position i of a numbered group.
func (b *Bucket) numberAt(i int) BucketID {
	if b.has&hasID != 0 {
		return b.id
	}
	return BucketID(i)
}
