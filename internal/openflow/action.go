package openflow

// Action types that this module knows by name (OpenFlow 1.5.1, 7.2.6; the numbers
// are those of 1.3 where 1.3 has the action).
const (
	ActionOutput     = 0
	ActionSetMPLSTTL = 15
	ActionDecMPLSTTL = 16
	ActionPushVLAN   = 17
	ActionPopVLAN    = 18
	ActionPushMPLS   = 19
	ActionPopMPLS    = 20
	ActionSetQueue   = 21
	ActionGroup      = 22
	ActionSetTTL     = 23
	ActionDecTTL     = 24
	ActionSetField   = 25 // with a mask in 1.5 only
	ActionCopyField  = 28 // 1.5 only
	ActionMeter      = 29 // 1.5 only
	ActionNicira     = 0xffff

	// NiciraVendor follows the length of an ActionNicira, then a 16-bit subtype.
	NiciraVendor = 0x00002320
)

// Subtypes of ActionNicira, Open vSwitch's own actions (its ofp-actions.h).
const (
	NiciraPopQueue      = 5
	NiciraRegMove       = 6 // 1.3 only
	NiciraRegLoad       = 7 // 1.3 only
	NiciraNote          = 8
	NiciraResubmitTable = 14
	NiciraOutputReg     = 15
	NiciraController    = 20
	NiciraDecTTLTo      = 21
	NiciraCT            = 35
	NiciraNAT           = 36 // within NiciraCT only
	NiciraController2   = 37
	NiciraOutputTrunc   = 39
	NiciraClone         = 42
	NiciraCTClear       = 43
	NiciraResubmitCT    = 44
)
