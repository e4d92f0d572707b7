package openflow

import "fmt"

// Error types (OpenFlow 1.5.1, 7.5.4). The names of their codes are in errornames.go.
const (
	ErrorHelloFailed    = 0
	ErrorBadRequest     = 1
	ErrorBadAction      = 2
	ErrorBadInstruction = 3
	ErrorBadMatch       = 4
	ErrorFlowModFailed  = 5
	ErrorGroupModFailed = 6
	ErrorRoleRequest    = 11
	ErrorBadProperty    = 14
	ErrorBundleFailed   = 17
	ErrorExperimenter   = 0xffff
)

// Codes of ErrorGroupModFailed. Those from 15 on exist in OpenFlow 1.5 only.
const (
	GroupExists              = 0
	GroupInvalid             = 1
	GroupWeightUnsupported   = 2
	GroupOutOfGroups         = 3
	GroupOutOfBuckets        = 4
	GroupChainingUnsupported = 5
	GroupWatchUnsupported    = 6
	GroupLoop                = 7
	GroupUnknown             = 8
	GroupChained             = 9
	GroupBadType             = 10
	GroupBadCommand          = 11
	GroupBadBucket           = 12
	GroupBadWatch            = 13
	GroupPermission          = 14
	GroupUnknownBucket       = 15
	GroupBucketExists        = 16
)

// RoleStale is the code of ErrorRoleRequest for a generation older than the switch's.
const RoleStale = 0

// Codes of ErrorBundleFailed.
const (
	BundleBadID     = 2
	BundleMsgFailed = 13
	BundleTimeout   = 14
)

// Codes of other types that a GROUP_MOD can draw.
const (
	RequestBadLen        = 6
	RequestIsSlave       = 10
	ActionBadType        = 0
	ActionBadOutPort     = 4
	ActionBadOutGroup    = 9
	ActionBadSetArgument = 15
	PropertyBadValue     = 2
)

// ErrorName is OpenFlow's own name of an error, such as OFPGMFC_GROUP_EXISTS, or the
// numbers where it has none here.
func ErrorName(typ, code uint16) string {
	if int(typ) >= len(errorNames) {
		if typ == ErrorExperimenter {
			return fmt.Sprintf("OFPET_EXPERIMENTER code %d", code)
		}
		return fmt.Sprintf("error type %d code %d", typ, code)
	}
	t := errorNames[typ]
	if int(code) >= len(t.codes) || t.codes[code] == "" {
		return fmt.Sprintf("OFPET_%s code %d", t.name, code)
	}
	return t.prefix + "_" + t.codes[code]
}
