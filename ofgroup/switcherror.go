package ofgroup

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// SwitchError is a refusal by the switch: an OFPT_ERROR message (OpenFlow 1.5.1,
// 7.5.4). It matches, by errors.Is, the sentinel of its type and code.
type SwitchError struct {
	Type, Code   uint16
	Experimenter uint32 // who defines Code, when Type is 0xffff
	XID          uint32 // of the message that was refused
	Data         []byte // the switch's quote of it; Open vSwitch quotes it whole
}

func (e *SwitchError) Error() string {
	if e.Experimenter != 0 {
		return fmt.Sprintf("switch refused it: %s of experimenter 0x%x",
			openflow.ErrorName(e.Type, e.Code), e.Experimenter)
	}
	return "switch refused it: " + openflow.ErrorName(e.Type, e.Code)
}

// Is reports whether target is the sentinel of this refusal.
func (e *SwitchError) Is(target error) bool {
	r, ok := target.(refusal)
	return ok && e.Experimenter == 0 && r == refusal{e.Type, e.Code}
}

// refusal is a sentinel: one type and code of the switch's errors.
type refusal struct{ typ, code uint16 }

func (r refusal) Error() string { return openflow.ErrorName(r.typ, r.code) }

// The refusals of a GROUP_MOD, OFPET_GROUP_MOD_FAILED (OpenFlow 1.5.1, 7.5.4.7).
var (
	ErrGroupExists         error = refusal{openflow.ErrorGroupModFailed, openflow.GroupExists}
	ErrInvalidGroup        error = refusal{openflow.ErrorGroupModFailed, openflow.GroupInvalid}
	ErrWeightUnsupported   error = refusal{openflow.ErrorGroupModFailed, openflow.GroupWeightUnsupported}
	ErrOutOfGroups         error = refusal{openflow.ErrorGroupModFailed, openflow.GroupOutOfGroups}
	ErrOutOfBuckets        error = refusal{openflow.ErrorGroupModFailed, openflow.GroupOutOfBuckets}
	ErrChainingUnsupported error = refusal{openflow.ErrorGroupModFailed, openflow.GroupChainingUnsupported}
	ErrWatchUnsupported    error = refusal{openflow.ErrorGroupModFailed, openflow.GroupWatchUnsupported}
	ErrLoop                error = refusal{openflow.ErrorGroupModFailed, openflow.GroupLoop}
	ErrUnknownGroup        error = refusal{openflow.ErrorGroupModFailed, openflow.GroupUnknown}
	ErrChainedGroup        error = refusal{openflow.ErrorGroupModFailed, openflow.GroupChained}
	ErrBadType             error = refusal{openflow.ErrorGroupModFailed, openflow.GroupBadType}
	ErrBadCommand          error = refusal{openflow.ErrorGroupModFailed, openflow.GroupBadCommand}
	ErrBadBucket           error = refusal{openflow.ErrorGroupModFailed, openflow.GroupBadBucket}
	ErrBadWatch            error = refusal{openflow.ErrorGroupModFailed, openflow.GroupBadWatch}
	ErrPermission          error = refusal{openflow.ErrorGroupModFailed, openflow.GroupPermission}
	ErrUnknownBucket       error = refusal{openflow.ErrorGroupModFailed, openflow.GroupUnknownBucket}
	ErrBucketExists        error = refusal{openflow.ErrorGroupModFailed, openflow.GroupBucketExists}
)

// Refusals of what is inside a GROUP_MOD that this package cannot foresee.
var (
	ErrBadLength      error = refusal{openflow.ErrorBadRequest, openflow.RequestBadLen}
	ErrBadActionType  error = refusal{openflow.ErrorBadAction, openflow.ActionBadType}
	ErrBadOutPort     error = refusal{openflow.ErrorBadAction, openflow.ActionBadOutPort}
	ErrBadOutGroup    error = refusal{openflow.ErrorBadAction, openflow.ActionBadOutGroup}
	ErrBadSetArgument error = refusal{openflow.ErrorBadAction, openflow.ActionBadSetArgument}
	ErrBadProperty    error = refusal{openflow.ErrorBadProperty, openflow.PropertyBadValue}
)

// Offsets of an OFPT_ERROR message. With type 0xffff the second number is the
// experimenter's own type, and the experimenter follows it.
const (
	offErrorType  = openflow.HeaderLen
	offErrorCode  = 10
	offErrorData  = 12
	offErrorXData = 16
)

// ParseSwitchError decodes a whole OFPT_ERROR message, of either version. The result
// owns its memory.
func ParseSwitchError(msg []byte) (*SwitchError, error) {
	h, err := openflow.ParseHeader(msg)
	switch {
	case err != nil:
		return nil, fmt.Errorf("ofgroup: decode error message: %w", errors.Join(ErrMalformed, err))
	case h.Type != openflow.TypeError, int(h.Length) != len(msg), len(msg) < offErrorData:
		return nil, fmt.Errorf("ofgroup: decode error message: %w", ErrMalformed)
	}
	e := &SwitchError{
		Type: binary.BigEndian.Uint16(msg[offErrorType:]),
		Code: binary.BigEndian.Uint16(msg[offErrorCode:]),
		XID:  h.XID,
	}
	data := msg[offErrorData:]
	if e.Type == openflow.ErrorExperimenter {
		if len(msg) < offErrorXData {
			return nil, fmt.Errorf("ofgroup: decode error message: %w", ErrMalformed)
		}
		e.Experimenter = binary.BigEndian.Uint32(data)
		data = msg[offErrorXData:]
	}
	e.Data = append([]byte(nil), data...)
	return e, nil
}

// AppendMessage appends the refusal to b as a whole OFPT_ERROR message of version v, with
// its XID, as a switch sends it. The error is ErrTooLarge, if Data is so long; an
// unknown version is sent as it is, since a switch answers in the version it was asked in.
func (e *SwitchError) AppendMessage(b []byte, v Version) ([]byte, error) {
	start := offErrorData
	if e.Type == openflow.ErrorExperimenter {
		start = offErrorXData
	}
	n, ok := openflow.Narrow[uint16](start + len(e.Data))
	if !ok {
		return b, fmt.Errorf("ofgroup: encode error message: %w", ErrTooLarge)
	}
	b = openflow.AppendHeader(b, openflow.Header{
		Version: uint8(v), Type: openflow.TypeError, Length: n, XID: e.XID,
	})
	b = binary.BigEndian.AppendUint16(b, e.Type)
	b = binary.BigEndian.AppendUint16(b, e.Code)
	if e.Type == openflow.ErrorExperimenter {
		b = binary.BigEndian.AppendUint32(b, e.Experimenter)
	}
	return append(b, e.Data...), nil
}
