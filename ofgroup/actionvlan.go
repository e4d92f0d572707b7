package ofgroup

import "github.com/ofmcast/ofmcast/internal/openflow"

// The Ethernet types that start a VLAN tag.
const (
	TPID8021Q  = 0x8100 // IEEE 802.1Q
	TPID8021AD = 0x88a8 // IEEE 802.1ad, a service tag
)

// PushVLAN puts a VLAN tag in front, with VLAN 0 until VLANVID is set: with
// Set(VLANVID, 0x1000|vid), for bit 12 says that there is a tag. A packet that has a tag
// keeps it, behind the new one.
func PushVLAN(tpid uint16) Action {
	if tpid != TPID8021Q && tpid != TPID8021AD {
		return badAction(ErrAction, "push of a VLAN tag of type 0x%04x", tpid)
	}
	return shortAction16(openflow.ActionPushVLAN, tpid)
}

// PopVLAN takes the outermost VLAN tag off. A flow needs a match that asks for a tag, such
// as IsVLAN, or the switch refuses it (OFPBAC_MATCH_INCONSISTENT); a bucket is taken as it
// is, and leaves a packet without a tag alone.
func PopVLAN() Action { return shortAction0(openflow.ActionPopVLAN) }
