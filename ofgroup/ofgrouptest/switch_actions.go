package ofgrouptest

import (
	"bytes"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

const (
	actionHeader = 4
	niciraHeader = 10 // header, vendor, subtype

	anyLen = 0 // in the tables below: the length varies
)

// actionLens are the standard actions the switch knows, with their one length.
// It also takes the actions of OpenFlow 1.1 (1 to 14) and rewrites them; nobody
// who speaks 1.5 sends those, so they are left out here.
var actionLens = map[uint16]int{
	openflow.ActionOutput: 16,
	15:                    8, // set MPLS TTL
	16:                    8, // decrement MPLS TTL
	pushVLAN:              8,
	18:                    8, // pop VLAN
	pushMPLS:              8,
	20:                    8, // pop MPLS
	21:                    8, // set queue
	openflow.ActionGroup:  8,
	23:                    8, // set network TTL
	24:                    8, // decrement network TTL

	openflow.ActionSetField:  anyLen,
	openflow.ActionCopyField: anyLen,
	openflow.ActionMeter:     8,
	openflow.ActionNicira:    anyLen,
}

const (
	pushVLAN = 17
	pushMPLS = 19
)

// niciraLens are the subtypes of Open vSwitch's own actions. What a variable one
// holds (learn, ct, clone, ...) is not looked into.
var niciraLens = map[uint16]int{
	1: 16, 2: 16, 5: 16, 8: anyLen, 9: 24, 10: 32, 12: anyLen, 13: anyLen,
	openflow.NiciraResubmitTable: 16,
	15:                           24, 16: anyLen, 17: 16, 19: 16, 20: 16, 21: anyLen, 22: 24,
	27: 24, 28: 24, 29: 24, 32: 24, 34: 16, 35: anyLen, 37: anyLen, 38: 32, 39: 16, 41: 32,
	42: anyLen, 43: 16, 44: 16, 45: anyLen, 46: anyLen, 47: anyLen, 48: 16, 49: 24, 50: 24,
}

// parseActions checks a list of actions and returns them as the switch keeps and
// describes them: in new memory, padding zeroed, full masks dropped.
func parseActions(b []byte) ([]byte, verdict) {
	kept := make([]byte, 0, len(b))
	for len(b) > 0 {
		n := int(be.Uint16(b[2:])) // b holds whole words of 8 bytes
		if n < 8 || n%8 != 0 || n > len(b) {
			return nil, badActionLen
		}
		action := bytes.Clone(b[:n])
		action, v := checkAction(action)
		if v != accepted {
			return nil, v
		}
		kept = append(kept, action...)
		b = b[n:]
	}
	return kept, accepted
}

func checkAction(a []byte) ([]byte, verdict) {
	kind := be.Uint16(a)
	want, ok := actionLens[kind]
	if !ok {
		return nil, badActionType
	}
	if want != anyLen && len(a) != want {
		return nil, badActionLen
	}
	switch kind {
	case openflow.ActionOutput:
		return checkOutput(a)
	case pushVLAN:
		return a, oneOf(be.Uint16(a[actionHeader:]), 0x8100, 0x88a8)
	case pushMPLS:
		return a, oneOf(be.Uint16(a[actionHeader:]), 0x8847, 0x8848)
	case openflow.ActionSetField:
		return checkSetField(a)
	case openflow.ActionNicira:
		return a, checkNicira(a)
	}
	return a, accepted
}

func oneOf(have uint16, want ...uint16) verdict {
	for _, w := range want {
		if have == w {
			return accepted
		}
	}
	return badActionArgument
}

// checkOutput: of the reserved ports all but "any" and those without a number of
// their own can be sent to; port 0 and absent ports are taken.
func checkOutput(a []byte) ([]byte, verdict) {
	port := be.Uint32(a[actionHeader:])
	if !mappablePort(port) || port >= 0xffffff00 && port < 0xfffffff8 || port == anyWatch {
		return nil, badOutPort
	}
	clear(a[10:]) // padding
	return a, accepted
}

func checkNicira(a []byte) verdict {
	if len(a) < 16 {
		return badActionLen
	}
	if be.Uint32(a[actionHeader:]) != openflow.NiciraVendor {
		return badActionExperimenter
	}
	subtype := be.Uint16(a[actionHeader+4:])
	want, ok := niciraLens[subtype]
	switch {
	case !ok:
		return badActionExpType
	case want != anyLen && len(a) != want:
		return badActionLen
	case subtype == openflow.NiciraResubmitTable && !zero(a[niciraHeader+3:]):
		return badActionArgument
	}
	return accepted
}

func zero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}
