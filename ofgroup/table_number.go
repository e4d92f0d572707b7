package ofgroup

import "math"

// number gives every bucket of a group with keys its number: the one that the bucket of
// the same key has already, or, if the switch has buckets without keys, the one of such a
// bucket with equal contents, or else one that no bucket had before. again says that there
// are no more of these, and all were numbered from 0.
func (h holding) number(g Group, v Version) (numbered Group, next BucketID, again bool) {
	held := h.numbers(v)
	bs := make([]Bucket, g.Len())
	g.buckets.copyTo(bs)
	next = h.next
	for i := range bs {
		b := &bs[i]
		id, has := held.take(b, g.typ, v)
		if !has {
			id, next = next, next+1
			again = again || id > MaxBucketID
		}
		b.id, b.has = id, b.has|hasID
		if again {
			break
		}
	}
	if again {
		for i := range bs {
			bs[i].id, bs[i].has = BucketID(i), bs[i].has|hasID
		}
		next = BucketID(len(bs))
	}
	g.setBuckets(bs)
	return g, next, again
}

// numbers are the numbers that buckets on the switch have, each to be taken once.
type numbers struct {
	byKey     map[string]BucketID
	byContent map[Bucket][]BucketID // of buckets without keys, the first one last
}

func (h holding) numbers(v Version) numbers {
	all := numbers{make(map[string]BucketID, h.group.Len()), make(map[Bucket][]BucketID)}
	g := h.group.numbered()
	for i := g.Len() - 1; i >= 0; i-- {
		b := g.buckets.at(i)
		id := b.onWire(i, g.typ).id
		if key, has := b.Key(); has {
			all.byKey[key] = id
			continue
		}
		c := b.content(g.typ, v)
		all.byContent[c] = append(all.byContent[c], id)
	}
	return all
}

func (n numbers) take(b *Bucket, t Type, v Version) (BucketID, bool) {
	key, _ := b.Key()
	if id, has := n.byKey[key]; has {
		delete(n.byKey, key)
		return id, true
	}
	if len(n.byContent) == 0 {
		return 0, false
	}
	c := b.content(t, v)
	ids := n.byContent[c]
	if len(ids) == 0 {
		return 0, false
	}
	n.byContent[c] = ids[:len(ids)-1]
	return ids[len(ids)-1], true
}

// unnumbered is g as OpenFlow 1.3 has it, where a bucket's number is its position.
func (g Group) unnumbered() Group {
	bs := make([]Bucket, g.Len())
	g.buckets.copyTo(bs)
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
		if id := b.onWire(i, g.typ).id; id >= next && id < math.MaxUint32 {
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
