package ofgroup

import "strconv"

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
