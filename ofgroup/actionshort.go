package ofgroup

import (
	"fmt"
	"strconv"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// The shortest actions have four bytes behind their header: a number of 32, 16 or 8 bits,
// or nothing, and zeros.
//
// To add one: a constructor in a file of its own, a case in shortText, its number in
// internal/openflow, and a line in the test's flowActions.

// shortAction0 is an action that has nothing to say but its type.
func shortAction0(typ uint16) Action { return shortAction32(typ, 0) }

func shortAction8(typ uint16, v uint8) Action { return shortAction32(typ, uint32(v)<<24) }

func shortAction16(typ, v uint16) Action { return shortAction32(typ, uint32(v)<<16) }

func shortAction32(typ uint16, v uint32) Action {
	return Action{first: uint64(typ)<<48 | shortestActionLen<<32 | uint64(v)}
}

// shortText prints one of them. What has bits set where zeros belong is none.
func shortText(a string) (string, bool) {
	if len(a) != shortestActionLen {
		return "", false
	}
	body := a[offActionBody:]
	switch be16(a) {
	case openflow.ActionGroup:
		return "group:" + u32Text(body), true
	case openflow.ActionSetQueue:
		return "set_queue:" + u32Text(body), true
	case openflow.ActionMeter:
		return "meter:" + u32Text(body), true
	case openflow.ActionPushVLAN:
		return fmt.Sprintf("push_vlan:0x%04x", be16(body)), zeros(body[2:])
	case openflow.ActionPushMPLS:
		return fmt.Sprintf("push_mpls:0x%04x", be16(body)), zeros(body[2:])
	case openflow.ActionPopMPLS:
		return fmt.Sprintf("pop_mpls:0x%04x", be16(body)), zeros(body[2:])
	case openflow.ActionSetMPLSTTL:
		return "set_mpls_ttl(" + strconv.Itoa(int(body[0])) + ")", zeros(body[1:])
	case openflow.ActionSetTTL:
		return "mod_nw_ttl:" + strconv.Itoa(int(body[0])), zeros(body[1:])
	case openflow.ActionPopVLAN:
		return "pop_vlan", zeros(body)
	case openflow.ActionDecTTL:
		return "dec_ttl", zeros(body)
	case openflow.ActionDecMPLSTTL:
		return "dec_mpls_ttl", zeros(body)
	default:
		return "", false
	}
}
