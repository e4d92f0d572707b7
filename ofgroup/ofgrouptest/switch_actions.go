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
	setMPLSTTL:            8,
	decMPLSTTL:            8,
	pushVLAN:              8,
	popVLAN:               8,
	pushMPLS:              8,
	popMPLS:               8,
	21:                    8, // set queue
	openflow.ActionGroup:  8,
	setIPTTL:              8,
	decIPTTL:              8,

	openflow.ActionSetField:  anyLen,
	openflow.ActionCopyField: anyLen,
	openflow.ActionMeter:     8,
	openflow.ActionNicira:    anyLen,
}

const (
	setMPLSTTL = 15
	decMPLSTTL = 16
	pushVLAN   = 17
	popVLAN    = 18
	pushMPLS   = 19
	popMPLS    = 20
	setIPTTL   = 23
	decIPTTL   = 24

	resubmitTableCT = 44
)

// niciraLens are the subtypes of Open vSwitch's own actions. What they hold is not
// looked into, but for the padding of resubmit.
var niciraLens = map[uint16]int{
	1: 16, 2: 16, 5: 16, 8: anyLen, 9: 24, 10: 32, 12: anyLen, 13: anyLen,
	openflow.NiciraResubmitTable: 16,
	15:                           24, 16: anyLen, 17: 16, 19: 16, 20: 16, 21: anyLen, 22: 24,
	27: 24, 28: 24, 29: 24, 32: 24, 34: 16, 35: anyLen, 37: anyLen, 38: 32, 39: 16, 41: 32,
	42: anyLen, 43: 16, resubmitTableCT: 16, 45: anyLen, 46: anyLen, 47: anyLen, 48: 16, 49: 24, 50: 24,
}

// parseActions checks a list of actions and returns them as the switch keeps and
// describes them: in new memory, padding zeroed, full masks dropped.
func parseActions(b []byte) ([]byte, verdict) {
	kept := make([]byte, 0, len(b))
	for len(b) > 0 {
		n, v := actionLen(b)
		if v != accepted {
			return nil, v
		}
		action, v := checkAction(bytes.Clone(b[:n]))
		if v != accepted {
			return nil, v
		}
		kept = append(kept, action...)
		b = b[n:]
	}
	return kept, accepted
}

// actionLen is the length of the first action in b, which holds whole words of 8 bytes.
// What kind it is comes first: the length of an unknown one is not looked at.
func actionLen(b []byte) (int, verdict) {
	want, ok := actionLens[be.Uint16(b)]
	if !ok {
		return 0, badActionType
	}
	if be.Uint16(b) == openflow.ActionNicira {
		var v verdict
		if want, v = niciraLen(b); v != accepted {
			return 0, v
		}
	}
	n := int(be.Uint16(b[2:]))
	if n < 8 || n%8 != 0 || n > len(b) || want != anyLen && n != want {
		return 0, badActionLen
	}
	return n, accepted
}

func niciraLen(b []byte) (int, verdict) {
	if be.Uint32(b[actionHeader:]) != openflow.NiciraVendor {
		return 0, badActionExperimenter
	}
	if len(b) < niciraHeader || be.Uint16(b[2:]) < niciraHeader {
		return 0, badActionLen
	}
	want, ok := niciraLens[be.Uint16(b[actionHeader+4:])]
	if !ok {
		return 0, badActionExpType
	}
	return want, accepted
}

// checkAction checks what an action holds.
func checkAction(a []byte) ([]byte, verdict) {
	switch be.Uint16(a) {
	case openflow.ActionOutput:
		return checkOutput(a)
	case pushVLAN:
		return a, oneOf(be.Uint16(a[actionHeader:]), 0x8100, 0x88a8)
	case pushMPLS:
		return a, oneOf(be.Uint16(a[actionHeader:]), 0x8847, 0x8848)
	case openflow.ActionSetField:
		return checkSetField(a)
	case openflow.ActionCopyField:
		return a, checkCopyField(a)
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
	switch be.Uint16(a[actionHeader+4:]) {
	case openflow.NiciraResubmitTable, resubmitTableCT:
		if !zero(a[niciraHeader+3:]) {
			return badActionArgument
		}
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
