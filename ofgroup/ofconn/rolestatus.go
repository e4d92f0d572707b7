package ofconn

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// RoleStatus is the switch's news that this connection has another role now, because of
// what somebody else did (OpenFlow 1.5.1, 7.4.4). Open vSwitch tells it in 1.3 too, as
// EXT-191.
type RoleStatus struct {
	Role       Role
	Reason     RoleReason
	Generation uint64 // of the new master
}

// RoleReason is why a connection got another role.
type RoleReason uint8

const (
	RoleTaken        RoleReason = 0 // another connection asked to be master
	RoleReconfigured RoleReason = 1 // by the switch's own configuration
	RoleExperimenter RoleReason = 2 // by an extension of the switch's
)

// String is the reason as a word.
func (r RoleReason) String() string {
	switch r {
	case RoleTaken:
		return "taken"
	case RoleReconfigured:
		return "reconfigured"
	case RoleExperimenter:
		return "experimenter"
	default:
		return fmt.Sprintf("RoleReason(0x%x)", uint8(r))
	}
}

// Offsets within the body.
const (
	offStatusReason     = 4
	offStatusGeneration = 8
	roleStatusLen       = 16
)

// ParseRoleStatus decodes a whole OFPT_ROLE_STATUS, or the message that stands for it in
// OpenFlow 1.3. The error matches ofgroup.ErrMalformed.
func ParseRoleStatus(msg []byte) (RoleStatus, error) {
	body, ok := extended(msg, openflow.TypeRoleStatus, openflow.ONFRoleStatus)
	if !ok || len(body) < roleStatusLen {
		return RoleStatus{}, malformed("role status")
	}
	return RoleStatus{
		Role:       Role(binary.BigEndian.Uint32(body)),
		Reason:     RoleReason(body[offStatusReason]),
		Generation: binary.BigEndian.Uint64(body[offStatusGeneration:]),
	}, nil
}

// extended is the body of a whole message of OpenFlow 1.5 that 1.3 has as an extension of
// the ONF, with the same body behind vendor and subtype; false if it is another message.
func extended(msg []byte, typ uint8, subtype uint32) ([]byte, bool) {
	h, err := openflow.ParseHeader(msg)
	switch {
	case err != nil || int(h.Length) != len(msg):
		return nil, false
	case h.Version == openflow.Version15 && h.Type == typ:
		return msg[openflow.HeaderLen:], true
	case h.Version != openflow.Version13 || h.Type != openflow.TypeExperimenter || len(msg) < experimenterLen:
		return nil, false
	}
	return msg[experimenterLen:], binary.BigEndian.Uint32(msg[offVendor:]) == openflow.ONFVendor &&
		binary.BigEndian.Uint32(msg[offSubtype:]) == subtype
}

// IsSlave reports whether err is the switch's refusal of a change because the connection
// is a slave (OFPBRC_IS_SLAVE): another one has become master.
func IsSlave(err error) bool {
	var e *ofgroup.SwitchError
	return errors.As(err, &e) && e.Type == openflow.ErrorBadRequest && e.Code == openflow.RequestIsSlave
}
