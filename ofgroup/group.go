package ofgroup

import "iter"

// Group is an OpenFlow group as it shall be: number, type and buckets. It is an
// immutable value, safe for any number of goroutines; its methods return new values and
// none but Commit touches a switch. The zero Group is an empty group 0 of type All.
//
// Groups are compared with Equal.
//
// (It has four words, in as many fields of its own and of each of its parts at most: the
// most that the compiler keeps in registers.)
type Group struct {
	_ [0]func() // no ==
	groupHead
	buckets list
	sel     *Selection // all group properties; nil for none, as in most groups
}

type groupHead struct {
	id  ID
	typ Type
	has bucketHas // what any of the buckets has
}

// New is a group without buckets.
func New(id ID, t Type) Group { return Group{groupHead: groupHead{id: id, typ: t}} }

// WithBuckets is g with these buckets instead of its own. They are copied.
func (g Group) WithBuckets(bs ...Bucket) Group {
	g.buckets, g.has = newList(bs), hasOf(bs)
	return g
}

// AddBuckets is g with these buckets after its own. It costs the new buckets only,
// taken over many calls: values made one from the other share their memory. g itself
// stays as it is, also when many goroutines add to it at the same time.
func (g Group) AddBuckets(bs ...Bucket) Group {
	g.buckets = g.buckets.and(bs)
	g.has |= hasOf(bs)
	return g
}

// setBuckets gives g these buckets, which it keeps, instead of its own.
func (g *Group) setBuckets(bs []Bucket) { g.buckets, g.has = listOf(bs), hasOf(bs) }

func hasOf(bs []Bucket) (has bucketHas) {
	for i := range bs {
		has |= bs[i].has
	}
	return has
}

// props is the group's properties, in OpenFlow 1.5.
func (g *Group) props() string {
	if g.sel == nil {
		return ""
	}
	return g.sel.enc
}

// setProps is for properties that were received.
func (g *Group) setProps(props string) {
	if g.sel = nil; props != "" {
		g.sel = &Selection{enc: props}
	}
}

// ID is the group's number.
func (g Group) ID() ID { return g.id }

// Type is the group's type.
func (g Group) Type() Type { return g.typ }

// Len is the number of buckets.
func (g Group) Len() int { return g.buckets.n }

// Bucket is the bucket at position i, from 0. It panics if there is none.
func (g Group) Bucket(i int) Bucket { return *g.buckets.at(i) }

// Buckets yields the buckets in their order.
func (g Group) Buckets() iter.Seq[Bucket] {
	return func(yield func(Bucket) bool) {
		for _, b := range g.buckets.each {
			if !yield(*b) {
				return
			}
		}
	}
}
