package ofgroup

import (
	"iter"
	"unique"
)

// Bucket is one way through a group: a list of actions, and what the group's type
// needs to choose it. It is an immutable value; two Buckets that were given the same are
// equal by ==. The zero Bucket drops its packet.
type Bucket struct {
	actions string                  // encoded one after the other, in OpenFlow 1.5
	odd     unique.Handle[oddities] // the zero Handle for nearly every bucket
	key     unique.Handle[string]   // for a Table, never sent; the zero Handle for none

	watchPort  Port
	watchGroup ID
	id         BucketID
	weight     uint16
	has        bucketHas
}

// oddities is what few buckets have. It stands behind a handle so that a Bucket is small,
// for groups have many, and still comparable.
type oddities struct {
	// props is the list of properties as it was received, in OpenFlow 1.5, when that
	// is not what this package would write for the values of the bucket: unknown
	// properties, another order. It is then sent as it is.
	props string
	fault error // a comparable one, the first of the actions'
}

// oddProps is the received list of properties of a bucket with hasRawProps.
func (b *Bucket) oddProps() string { return b.odd.Value().props }

func (b *Bucket) setOddProps(props string) {
	b.odd, b.has = unique.Make(oddities{props: props}), b.has|hasRawProps
}

// fault is why the bucket cannot be, or nil.
func (b *Bucket) fault() error {
	if b.odd == (unique.Handle[oddities]{}) {
		return nil
	}
	return b.odd.Value().fault
}

func faultyBucket(err error) Bucket { return Bucket{odd: unique.Make(oddities{fault: err})} }

// bucketHas says which of a Bucket's values are given. The others are zero.
type bucketHas uint8

const (
	hasID bucketHas = 1 << iota
	hasWeight
	hasWatchPort
	hasWatchGroup
	hasRawProps // even if props is empty
	hasOnly13   // actions that OpenFlow 1.5 does not have
)

// NewBucket is a bucket that does these actions, in this order, and drops the packet
// if there are none.
func NewBucket(actions ...Action) Bucket {
	if len(actions) == 1 { // as in most multicast groups
		a := &actions[0]
		if err := a.unfit(); err != nil {
			return faultyBucket(err)
		}
		return Bucket{actions: a.encoding(), has: a.has()}
	}
	var b Bucket
	all := make([]byte, 0, usualActions)
	for i := range actions {
		a := &actions[i]
		if err := a.unfit(); err != nil {
			return faultyBucket(err)
		}
		b.has |= a.has()
		all = a.appendTo(all)
	}
	b.actions = string(all)
	return b
}

// usualActions is room on the stack for the encodings of most buckets.
const usualActions = 128

// unfit is why the action cannot stand in a bucket or a flow, or nil.
func (a *Action) unfit() error {
	if err := a.err(); err != nil || !a.inCT {
		return err
	}
	return outsideCT(a)
}

// has is what the action means for a bucket that has it.
func (a *Action) has() bucketHas {
	if a.only13 {
		return hasOnly13
	}
	return 0
}

// WithWeight gives the bucket its share of a Select group, where it is 1 otherwise; 0
// means never chosen. No other type of group takes a weight.
func (b Bucket) WithWeight(w uint16) Bucket {
	b.weight, b.has = w, b.has|hasWeight
	if b.has&hasRawProps != 0 {
		return b.normalProps()
	}
	return b
}

// WithWatchPort makes the bucket count as live only while p is up. PortAny takes the
// condition away.
func (b Bucket) WithWatchPort(p Port) Bucket {
	b.watchPort, b.has = p, b.has|hasWatchPort
	if p == PortAny {
		b.watchPort, b.has = 0, b.has&^hasWatchPort
	}
	return b.normalProps()
}

// WithWatchGroup makes the bucket count as live only while the group does. AnyGroup
// takes the condition away.
func (b Bucket) WithWatchGroup(id ID) Bucket {
	b.watchGroup, b.has = id, b.has|hasWatchGroup
	if id == AnyGroup {
		b.watchGroup, b.has = 0, b.has&^hasWatchGroup
	}
	return b.normalProps()
}

// WithID numbers the bucket within its group, in OpenFlow 1.5 only. Buckets without a
// number get the lowest ones that are free, in their order.
func (b Bucket) WithID(id BucketID) Bucket {
	b.id, b.has = id, b.has|hasID
	return b
}

// Weight is the weight that was given, and whether one was.
func (b Bucket) Weight() (uint16, bool) { return b.weight, b.has&hasWeight != 0 }

// WatchPort is the port whose state the bucket follows, and whether there is one.
func (b Bucket) WatchPort() (Port, bool) { return b.watchPort, b.has&hasWatchPort != 0 }

// WatchGroup is the group whose state the bucket follows, and whether there is one.
func (b Bucket) WatchGroup() (ID, bool) { return b.watchGroup, b.has&hasWatchGroup != 0 }

// ID is the number that was given, and whether one was. Buckets that a switch
// describes in OpenFlow 1.5 all have one.
func (b Bucket) ID() (BucketID, bool) { return b.id, b.has&hasID != 0 }

// Actions yields the actions in their order.
func (b Bucket) Actions() iter.Seq[Action] {
	return func(yield func(Action) bool) {
		for rest := b.actions; rest != ""; {
			n, err := actionLen(rest)
			if err != nil || !yield(decodedAction(rest[:n])) {
				return
			}
			rest = rest[n:]
		}
	}
}
