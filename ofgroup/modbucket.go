package ofgroup

import (
	"fmt"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// ModInsert is the message that puts the buckets of g into the group of this number that
// the switch has, and leaves that group's other buckets and their counters alone: at its
// FirstBucket, at its LastBucket, or right behind the bucket of number at (Open vSwitch's
// manual says before it; it is behind). g has the type of the switch's group, since a
// switch reads weights and watches by it; its selection method is the group's already and
// is not sent. It sends nothing.
//
// Every bucket needs a number, one that the group does not have yet: a switch picks none,
// and counted from 0 as in a new group they would meet those of the old ones. g without
// buckets is refused with ErrEmptyInsert, as the message would hang Open vSwitch for
// good. OpenFlow 1.3 has no such message: ErrVersion. Only the message is measured here;
// that the whole group stays readable is for the caller to see to (see Readable).
func (g Group) ModInsert(at BucketID, v Version) (*Mod, error) {
	g.sel = nil
	err := g.checkBucketCommand(InsertBucket, v)
	switch {
	case err != nil:
	case g.Len() == 0:
		err = ErrEmptyInsert
	case at > MaxBucketID && at != FirstBucket && at != LastBucket:
		err = fault{ErrBucketID, "no place to insert: " + at.String()}
	}
	if err != nil {
		return nil, &Error{Op: InsertBucket.String(), ID: g.id, Bucket: NoBucket, Err: err}
	}
	if err := g.validate(InsertBucket.String()); err != nil {
		return nil, err
	}
	for i, b := range g.buckets.each {
		if err := checkInserted(b, at); err != nil {
			return nil, &Error{Op: InsertBucket.String(), ID: g.id, Bucket: i, Err: err}
		}
	}
	return g.bucketMod(InsertBucket, at)
}

// ModRemove is the message that takes buckets out of the group of this number that the
// switch has, and leaves its others and their counters alone: the bucket of number at, the
// FirstBucket, the LastBucket, or AllBuckets. g gives number and type; its own buckets are
// not sent. It sends nothing. A bucket that the group does not have draws ErrUnknownBucket
// from the switch; the first and the last of none, no error. OpenFlow 1.3 has no such
// message: ErrVersion.
func (g Group) ModRemove(at BucketID, v Version) (*Mod, error) {
	g = New(g.id, g.typ)
	err := g.checkBucketCommand(RemoveBucket, v)
	if err == nil && at > MaxBucketID && at < FirstBucket {
		err = fault{ErrBucketID, fmt.Sprintf("0x%x is above 0x%x", uint32(at), uint32(MaxBucketID))}
	}
	if err != nil {
		return nil, &Error{Op: RemoveBucket.String(), ID: g.id, Bucket: NoBucket, Err: err}
	}
	return g.bucketMod(RemoveBucket, at)
}

// checkBucketCommand checks what inserts and removes have in common. An indirect group has
// its one bucket before and after; Open vSwitch would let it have two or none, and then
// refuse to be sent what it describes itself.
func (g Group) checkBucketCommand(cmd Command, v Version) error {
	switch {
	case v == OpenFlow13:
		return fault{ErrVersion, cmd.String() + " in " + v.String()}
	case v != OpenFlow15:
		return fault{ErrVersion, v.String()}
	case g.id > MaxID:
		return reservedID(g.id)
	case int(g.typ) >= len(typeRules):
		return fault{ErrType, g.typ.String()}
	case typeRules[g.typ].oneBucket:
		return fault{ErrBucketCount, cmd.String() + " would change that"}
	}
	return nil
}

func checkInserted(b *Bucket, at BucketID) error {
	switch {
	case b.has&hasID == 0:
		return fault{ErrBucketID, "an insert needs one given"}
	case b.id == at:
		return fault{ErrBucketID, fmt.Sprintf("%d is that of the bucket to insert behind", at)}
	}
	return nil
}

// bucketMod is the message of a checked insert or remove.
func (g Group) bucketMod(cmd Command, at BucketID) (*Mod, error) {
	n, err := g.measure(OpenFlow15)
	if err != nil {
		return nil, &Error{Op: cmd.String(), ID: g.id, Bucket: NoBucket, Err: err}
	}
	length, _ := openflow.Narrow[uint16](modHeaderLen15 + n) // fits: it was measured
	return &Mod{group: g, cmd: cmd, version: OpenFlow15, at: at, length: length}, nil
}
