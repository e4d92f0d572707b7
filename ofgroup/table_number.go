package ofgroup

import "math"

// number gives every bucket of a group with keys its number: the one that its partner has
// already, or else one that no bucket had before. again says that there are no more of these,
// and all were numbered from 0.
func (p *pairing) number(first BucketID) (next BucketID, again bool) {
	next = first
	for _, i := range p.newOnes {
		if next > MaxBucketID {
			return p.numberAgain(), true
		}
		p.now[i].id, p.now[i].has = next, p.now[i].has|hasID
		next++
	}
	return next, false
}

func (p *pairing) numberAgain() (next BucketID) {
	for i := range p.now {
		p.now[i].id, p.now[i].has = next, p.now[i].has|hasID
		next++
	}
	return next
}

// unnumbered is g as OpenFlow 1.3 has it, where a bucket's number is its position.
func (g Group) unnumbered() Group {
	bs := g.buckets.copied()
	for i := range bs {
		bs[i].id, bs[i].has = 0, bs[i].has&^hasID
	}
	g.setBuckets(bs)
	return g
}

// nextNumber is the lowest number above those of all buckets.
func (g Group) nextNumber() BucketID {
	if g.has&hasID == 0 {
		return BucketID(g.Len())
	}
	next := BucketID(0)
	for i, b := range g.numbered().buckets.each {
		if id := b.numberAt(i); id >= next && id < math.MaxUint32 {
			next = id + 1
		}
	}
	return next
}
