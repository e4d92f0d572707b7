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

// Type says which buckets of a group a packet goes through (OpenFlow 1.5.1, 5.10.1).
// The zero value is All, because the wire says so.
type Type uint8

const (
	All          Type = 0 // every bucket, each on its own copy of the packet
	Select       Type = 1 // one bucket, by hash and weight
	Indirect     Type = 2 // the one bucket it has
	FastFailover Type = 3 // the first bucket whose watched port or group is live
)

// String is ovs-ofctl's word for the type.
func (t Type) String() string {
	switch t {
	case All:
		return "all"
	case Select:
		return "select"
	case Indirect:
		return "indirect"
	case FastFailover:
		return "ff"
	default:
		return "Type(0x" + strconv.FormatUint(uint64(t), 16) + ")"
	}
}

// Version is an OpenFlow version by its number on the wire.
type Version uint8

const (
	OpenFlow13 Version = 4 // OpenFlow 1.3: no bucket numbers, no selection methods
	OpenFlow15 Version = 6 // OpenFlow 1.5
)

// String is the version's name, as in "OpenFlow 1.5".
func (v Version) String() string {
	switch v {
	case OpenFlow13:
		return "OpenFlow 1.3"
	case OpenFlow15:
		return "OpenFlow 1.5"
	default:
		return "Version(0x" + strconv.FormatUint(uint64(v), 16) + ")"
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
