package ofgroup

import "github.com/ofmcast/ofmcast/internal/openflow"

// The Ethernet types of MPLS.
const (
	EthTypeMPLS          = 0x8847
	EthTypeMPLSMulticast = 0x8848
)

// PushMPLS puts an MPLS label in front, with the label and traffic class of the one below
// or 0, and the TTL of what it carries. ethType is EthTypeMPLS or EthTypeMPLSMulticast.
func PushMPLS(ethType uint16) Action {
	if ethType != EthTypeMPLS && ethType != EthTypeMPLSMulticast {
		return badAction(ErrAction, "push of an MPLS label of type 0x%04x", ethType)
	}
	return shortAction16(openflow.ActionPushMPLS, ethType)
}

// PopMPLS takes the outermost MPLS label off. What comes after it has the Ethernet type
// ethType, which the switch cannot know.
func PopMPLS(ethType uint16) Action { return shortAction16(openflow.ActionPopMPLS, ethType) }

// SetMPLSTTL sets the TTL of the outermost MPLS label: OpenFlow's own action for what
// Set(MPLSTTL, ttl) does.
func SetMPLSTTL(ttl uint8) Action { return shortAction8(openflow.ActionSetMPLSTTL, ttl) }

// DecMPLSTTL takes one off the TTL of the outermost MPLS label. A packet whose TTL is then
// spent goes to the controllers as a packet-in.
func DecMPLSTTL() Action { return shortAction0(openflow.ActionDecMPLSTTL) }
