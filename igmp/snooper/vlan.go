package snooper

import (
	"strconv"

	"github.com/ofmcast/ofmcast/igmp"
)

// VLAN is the segment that a frame came from. 0 is untagged, and a single tag is its VLAN ID; of two tags the outer
// one stands in the upper 16 bits. So a group in one VLAN is never taken for the same group in another, and the value
// fits wherever 32 bits name a segment.
type VLAN uint32

// vlanOf leaves out priority tags: a tag with VLAN ID 0 says that the frame is in no VLAN (IEEE 802.1Q 9.6).
func vlanOf(tags []igmp.VLAN) VLAN {
	var v VLAN
	for i := range tags {
		if tags[i].ID != 0 {
			v = v<<16 | VLAN(tags[i].ID)
		}
	}
	return v
}

// String returns "10" for one tag, "100.10" for an outer 100 and an inner 10, and "0" for none.
func (v VLAN) String() string {
	inner := strconv.FormatUint(uint64(v&0xffff), 10)
	if v>>16 == 0 {
		return inner
	}
	return strconv.FormatUint(uint64(v>>16), 10) + "." + inner
}
