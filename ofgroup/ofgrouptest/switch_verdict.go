package ofgrouptest

import "github.com/ofmcast/ofmcast/internal/openflow"

// verdict is what the switch says to a request: an OpenFlow error type in the
// upper 16 bits and its code in the lower, or accepted. (The error 0/0, a hello
// without a common version, is never the answer to a request.)
type verdict uint32

const accepted verdict = 0

// What the switch refuses with. Each was drawn from Open vSwitch 3.1, but for
// outOfBuckets, which it has no limit for.
const (
	badVersion      = verdict(openflow.ErrorBadRequest<<16 | 0)
	badType         = verdict(openflow.ErrorBadRequest<<16 | 1)
	badMultipart    = verdict(openflow.ErrorBadRequest<<16 | 2)
	badExperimenter = verdict(openflow.ErrorBadRequest<<16 | 3)
	badExpType      = verdict(openflow.ErrorBadRequest<<16 | 4)
	notPermitted    = verdict(openflow.ErrorBadRequest<<16 | 5)
	badLen          = verdict(openflow.ErrorBadRequest<<16 | openflow.RequestBadLen)
	bufferUnknown   = verdict(openflow.ErrorBadRequest<<16 | 8)
	isSlave         = verdict(openflow.ErrorBadRequest<<16 | openflow.RequestIsSlave)
	badPort         = verdict(openflow.ErrorBadRequest<<16 | 11)
	pipelineOnly    = verdict(openflow.ErrorBadRequest<<16 | 17)

	badActionType         = verdict(openflow.ErrorBadAction<<16 | openflow.ActionBadType)
	badActionLen          = verdict(openflow.ErrorBadAction<<16 | 1)
	badActionExperimenter = verdict(openflow.ErrorBadAction<<16 | 2)
	badActionExpType      = verdict(openflow.ErrorBadAction<<16 | 3)
	badOutPort            = verdict(openflow.ErrorBadAction<<16 | openflow.ActionBadOutPort)
	badActionArgument     = verdict(openflow.ErrorBadAction<<16 | 5)
	badOutGroup           = verdict(openflow.ErrorBadAction<<16 | openflow.ActionBadOutGroup)
	inconsistentMatch     = verdict(openflow.ErrorBadAction<<16 | 10)
	badSetType            = verdict(openflow.ErrorBadAction<<16 | 13)
	badSetLen             = verdict(openflow.ErrorBadAction<<16 | 14)
	badSetArgument        = verdict(openflow.ErrorBadAction<<16 | openflow.ActionBadSetArgument)

	badMatchType  = verdict(openflow.ErrorBadMatch<<16 | 0)
	badMatchLen   = verdict(openflow.ErrorBadMatch<<16 | 1)
	badWildcards  = verdict(openflow.ErrorBadMatch<<16 | 5)
	badMatchField = verdict(openflow.ErrorBadMatch<<16 | 6)
	badMatchValue = verdict(openflow.ErrorBadMatch<<16 | 7)
	badMatchMask  = verdict(openflow.ErrorBadMatch<<16 | 8)
	badPrereq     = verdict(openflow.ErrorBadMatch<<16 | 9)
	dupMatchField = verdict(openflow.ErrorBadMatch<<16 | 10)

	unknownInstruction         = verdict(openflow.ErrorBadInstruction<<16 | 0)
	badInstructionTable        = verdict(openflow.ErrorBadInstruction<<16 | 2)
	badInstructionExperimenter = verdict(openflow.ErrorBadInstruction<<16 | 5)
	badInstructionLen          = verdict(openflow.ErrorBadInstruction<<16 | 7)
	dupInstruction             = verdict(openflow.ErrorBadInstruction<<16 | 9)

	tableFull      = verdict(openflow.ErrorFlowModFailed<<16 | 1)
	badTable       = verdict(openflow.ErrorFlowModFailed<<16 | 2)
	overlapping    = verdict(openflow.ErrorFlowModFailed<<16 | 3)
	badFlowCommand = verdict(openflow.ErrorFlowModFailed<<16 | 6)
	badFlowFlags   = verdict(openflow.ErrorFlowModFailed<<16 | 7)

	meterExists     = verdict(12<<16 | 1) // OFPET_METER_MOD_FAILED
	invalidMeter    = verdict(12<<16 | 2)
	unknownMeter    = verdict(12<<16 | 3)
	badMeterCommand = verdict(12<<16 | 4)
	badMeterFlags   = verdict(12<<16 | 5)
	badMeterRate    = verdict(12<<16 | 6)
	badMeterBand    = verdict(12<<16 | 8)
	outOfBands      = verdict(12<<16 | 11)

	groupExists      = verdict(openflow.ErrorGroupModFailed<<16 | openflow.GroupExists)
	invalidGroup     = verdict(openflow.ErrorGroupModFailed<<16 | openflow.GroupInvalid)
	outOfGroups      = verdict(openflow.ErrorGroupModFailed<<16 | openflow.GroupOutOfGroups)
	outOfBuckets     = verdict(openflow.ErrorGroupModFailed<<16 | openflow.GroupOutOfBuckets)
	watchUnsupported = verdict(openflow.ErrorGroupModFailed<<16 | openflow.GroupWatchUnsupported)
	unknownGroup     = verdict(openflow.ErrorGroupModFailed<<16 | openflow.GroupUnknown)
	badGroupType     = verdict(openflow.ErrorGroupModFailed<<16 | openflow.GroupBadType)
	badGroupCommand  = verdict(openflow.ErrorGroupModFailed<<16 | openflow.GroupBadCommand)
	badBucket        = verdict(openflow.ErrorGroupModFailed<<16 | openflow.GroupBadBucket)
	badWatch         = verdict(openflow.ErrorGroupModFailed<<16 | openflow.GroupBadWatch)
	unknownBucket    = verdict(openflow.ErrorGroupModFailed<<16 | openflow.GroupUnknownBucket)
	bucketExists     = verdict(openflow.ErrorGroupModFailed<<16 | openflow.GroupBucketExists)

	badConfigFlags = verdict(10<<16 | 0) // OFPET_SWITCH_CONFIG_FAILED

	staleRole = verdict(openflow.ErrorRoleRequest<<16 | openflow.RoleStale)
	badRole   = verdict(openflow.ErrorRoleRequest<<16 | 2)

	badPropType         = verdict(openflow.ErrorBadProperty<<16 | 0)
	badPropLen          = verdict(openflow.ErrorBadProperty<<16 | 1)
	badPropValue        = verdict(openflow.ErrorBadProperty<<16 | openflow.PropertyBadValue)
	badPropExperimenter = verdict(openflow.ErrorBadProperty<<16 | 5)
	badPropExpType      = verdict(openflow.ErrorBadProperty<<16 | 6)

	badAsync         = verdict(15<<16 | 0) // OFPET_ASYNC_CONFIG_FAILED
	unsupportedAsync = verdict(15<<16 | 1)
)

func (v verdict) refusal() *Refusal {
	return &Refusal{Type: uint16(v >> 16), Code: uint16(v & 0xffff)}
}
