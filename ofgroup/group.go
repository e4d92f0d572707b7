package ofgroup

import (
	"iter"
	"slices"
	"sync/atomic"
)

// Group is an OpenFlow group as it shall be: number, type and buckets. It is an
// immutable value, safe for any number of goroutines; its methods return new values and
// none but Commit touches a switch. The zero Group is an empty group 0 of type All.
//
// Groups are compared with Equal.
type Group struct {
	id      ID
	typ     Type
	buckets []Bucket // never written at or below its length
	room    *room    // what lies behind buckets, if other Groups may share it
	ids     bool     // some bucket has an explicit number
	props   string   // group properties, in OpenFlow 1.5
	fault   error    // of the selection method
}

// room is the array behind the buckets of one or more Groups, which all start at its
// start and differ in length. Elements below end belong to some Group and are never
// written again; whoever moves end from the length of his own Group owns what comes
// after it.
type room struct {
	end atomic.Int64
	all []Bucket
}

// New is a group without buckets.
func New(id ID, t Type) Group { return Group{id: id, typ: t} }

// WithBuckets is g with these buckets instead of its own. They are copied.
func (g Group) WithBuckets(bs ...Bucket) Group {
	g.buckets, g.room, g.ids = slices.Clone(bs), nil, anyID(bs)
	return g
}

// AddBuckets is g with these buckets after its own. It costs the new buckets only,
// taken over many calls: values made one from the other share their memory. g itself
// stays as it is, also when many goroutines add to it at the same time.
func (g Group) AddBuckets(bs ...Bucket) Group {
	n := len(g.buckets)
	end := n + len(bs)
	r := g.room
	if r == nil || end > len(r.all) || !r.end.CompareAndSwap(int64(n), int64(end)) {
		r = newRoom(g.buckets, end)
	}
	copy(r.all[n:end], bs)
	g.buckets, g.room, g.ids = r.all[:end:end], r, g.ids || anyID(bs)
	return g
}

func anyID(bs []Bucket) bool {
	for i := range bs {
		if bs[i].has&hasID != 0 {
			return true
		}
	}
	return false
}

// newRoom copies old into an array that has end elements taken, and more to come.
func newRoom(old []Bucket, end int) *room {
	spare := 0
	if len(old) > 0 {
		spare = end // doubling keeps the copies below the number of buckets added
	}
	r := &room{all: make([]Bucket, end+spare)}
	r.end.Store(int64(end))
	copy(r.all, old)
	return r
}

// ID is the group's number.
func (g Group) ID() ID { return g.id }

// Type is the group's type.
func (g Group) Type() Type { return g.typ }

// Len is the number of buckets.
func (g Group) Len() int { return len(g.buckets) }

// Bucket is the bucket at position i, from 0. It panics if there is none.
func (g Group) Bucket(i int) Bucket { return g.buckets[i] }

// Buckets yields the buckets in their order.
func (g Group) Buckets() iter.Seq[Bucket] { return slices.Values(g.buckets) }
