package ofgroup

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

// defaultWeight is that of a bucket of a Select group to which none was given.
const defaultWeight = 1

// content is what is compared of a bucket of a group of type t: all that is sent in
// version v but the number.
func (b Bucket) content(t Type, v Version) Bucket {
	b = b.onWire(0, t)
	b.id, b.has = 0, b.has&^hasID
	if v == OpenFlow13 {
		b.has &^= hasOnly13 // loads, which others are turned into
	}
	if v == OpenFlow13 && anyDiffers13(b.actions, 0) {
		b.setActions(string(appendActions13(nil, b.actions, 0)))
	}
	return b
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
