package ofgroup

import "strconv"

// ID is a group's number on one switch. Zero is a legal number.
type ID uint32

// The numbers above MaxID are reserved by OpenFlow: no group can have one.
const (
	MaxID     ID = 0xffffff00 // the largest number a group can have
	AllGroups ID = 0xfffffffc // in a DELETE, every group of the switch; see DeleteAll
	AnyGroup  ID = 0xffffffff // no group in particular: an absent watch group
)

// String is the number in decimal, or ovs-ofctl's word for a reserved one.
func (id ID) String() string {
	switch id {
	case AllGroups:
		return "all"
	case AnyGroup:
		return "any"
	default:
		return strconv.FormatUint(uint64(id), 10)
	}
}

// BucketID numbers a bucket within its group in OpenFlow 1.5; OpenFlow 1.3 has none.
type BucketID uint32

// MaxBucketID is the largest number a bucket can have. The numbers above it are
// positions: see Group.ModInsert, Group.ModRemove and Mod.CommandBucket.
const (
	MaxBucketID BucketID = 0xffffff00

	FirstBucket BucketID = 0xfffffffd // before the first, or the first
	LastBucket  BucketID = 0xfffffffe // behind the last, or the last
	AllBuckets  BucketID = 0xffffffff // all of them, or no one in particular
)

// String is the number in decimal, or ovs-ofctl's word for a position.
func (id BucketID) String() string {
	switch id {
	case FirstBucket:
		return "first"
	case LastBucket:
		return "last"
	case AllBuckets:
		return "all"
	default:
		return strconv.FormatUint(uint64(id), 10)
	}
}
