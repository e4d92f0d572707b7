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

// content is what is compared of a bucket of a group of type t: all that is sent in
// version v but the number.
func (b Bucket) content(t Type, v Version) Bucket {
	b = b.onWire(0, t)
	b.id, b.has = 0, b.has&^hasID
	if v == OpenFlow13 {
		b.has &^= hasOnly13 // loads, which others are turned into
	}
	if v == OpenFlow13 && differ13(b.actions) {
		b.setActions(string(appendActions13(nil, b.actions, 0)))
	}
	return b
}

// differ13 reports whether any of the actions has another form in 1.3.
func differ13(actions string) bool {
	for rest := actions; rest != ""; {
		n, err := actionLen(rest)
		if err != nil {
			return false
		}
		if differs13(rest[:n], 0) {
			return true
		}
		rest = rest[n:]
	}
	return false
}

// sameIn is Equal in version v: in 1.3 several forms of an action are sent as the same
// bytes, and buckets have no numbers but their positions.
func sameIn(v Version, a, b Group) bool {
	if v != OpenFlow13 {
		return a.Equal(b)
	}
	if a.id != b.id || a.typ != b.typ || a.props() != b.props() || a.Len() != b.Len() {
		return false
	}
	for i, x := range a.buckets.each {
		if x.content(a.typ, v) != b.buckets.at(i).content(b.typ, v) {
			return false
		}
	}
	return true
}
