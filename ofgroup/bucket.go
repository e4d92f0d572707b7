package ofgroup

import (
	"iter"
	"unique"
)

// Bucket is one way through a group: a list of actions, and what the group's type
// needs to choose it. It is an immutable value; two Buckets that were given the same are
// equal by ==. The zero Bucket drops its packet.
//
// (Like a Group it has four words and is kept in registers.)
type Bucket struct {
	actions string                  // encoded one after the other, in OpenFlow 1.5; see setActions
	odd     unique.Handle[oddities] // the zero Handle for most buckets
	bucketHead
}

type bucketHead struct {
	id     BucketID
	number uint16 // the weight; with hasOutput the short form of the port
	has    bucketHas
}

// bucketHas says which of a Bucket's values are given. The others are zero.
type bucketHas uint16

const (
	hasID bucketHas = 1 << iota
	hasWeight
	hasWatchPort
	hasWatchGroup
	hasRawProps // even if they are empty
	hasOnly13   // actions that OpenFlow 1.5 does not have
	hasOutput   // and no other actions
	hasKey
	hasFault
)

// NewBucket is a bucket that does these actions, in this order, and drops the packet
// if there are none.
func NewBucket(actions ...Action) Bucket {
	if len(actions) == 1 { // as in most multicast groups
		if p, ok := actions[0].plainOutput(); ok {
			return Bucket{bucketHead: bucketHead{number: p.short(), has: hasOutput}}
		}
	}
	var all [usualActions]byte
	n := 0
	for i := range actions {
		a := &actions[i]
		if a.more != nil || len(all)-n < shortAction {
			return unusualBucket(actions)
		}
		a.put((*[shortAction]byte)(all[n:]))
		n += a.shortLen()
	}
	var b Bucket
	b.setActions(string(all[:n]))
	return b
}

// usualActions is room on the stack for the encodings of most buckets.
const usualActions = 128

// unusualBucket is NewBucket for any actions.
func unusualBucket(actions []Action) Bucket {
	var b Bucket
	var all []byte
	for i := range actions {
		a := &actions[i]
		if err := a.unfit(); err != nil {
			return faultyBucket(err)
		}
		if a.rare().only13 {
			b.has |= hasOnly13
		}
		all = append(all, a.encoding()...)
	}
	b.setActions(string(all))
	return b
}

// unfit is why the action cannot stand in a bucket or a flow, or nil.
func (a *Action) unfit() error {
	rare := a.rare()
	if rare.fault != nil || !rare.inCT {
		return rare.fault
	}
	return outsideCT(a)
}

// WithWeight gives the bucket its share of a Select group, where it is 1 otherwise; 0
// means never chosen. No other type of group takes a weight.
func (b Bucket) WithWeight(w uint16) Bucket {
	if b.has&(hasOutput|hasRawProps) != 0 {
		return b.withWeight(w)
	}
	b.number, b.has = w, b.has|hasWeight
	return b
}

// withWeight is WithWeight of any bucket.
func (b Bucket) withWeight(w uint16) Bucket {
	b.setWeight(w)
	return b.normalProps()
}

// WithWatchPort makes the bucket count as live only while p is up. PortAny takes the
// condition away.
func (b Bucket) WithWatchPort(p Port) Bucket {
	if p == PortAny {
		b.setWatchPort(0)
		b.has &^= hasWatchPort
	} else {
		b.setWatchPort(p)
	}
	return b.normalProps()
}

// WithWatchGroup makes the bucket count as live only while the group does. AnyGroup
// takes the condition away.
func (b Bucket) WithWatchGroup(id ID) Bucket {
	if id == AnyGroup {
		b.setWatchGroup(0)
		b.has &^= hasWatchGroup
	} else {
		b.setWatchGroup(id)
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
func (b Bucket) Weight() (uint16, bool) {
	if b.has&hasWeight == 0 {
		return 0, false
	}
	return b.number, true
}

// WatchPort is the port whose state the bucket follows, and whether there is one.
func (b Bucket) WatchPort() (Port, bool) { return b.oddity().watchPort, b.has&hasWatchPort != 0 }

// WatchGroup is the group whose state the bucket follows, and whether there is one.
func (b Bucket) WatchGroup() (ID, bool) { return b.oddity().watchGroup, b.has&hasWatchGroup != 0 }

// ID is the number that was given, and whether one was. Buckets that a switch
// describes in OpenFlow 1.5 all have one.
func (b Bucket) ID() (BucketID, bool) { return b.id, b.has&hasID != 0 }

// Actions yields the actions in their order.
func (b Bucket) Actions() iter.Seq[Action] {
	return func(yield func(Action) bool) {
		for a := range eachAction(b.list()) {
			if !yield(decodedAction(a)) {
				return
			}
		}
	}
}
