package ofconn

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// Role is what a connection is to the switch (OpenFlow 1.5.1, 6.3.6). A switch
// has at most one master; a slave can only read.
type Role uint32

const (
	RoleNoChange Role = 0 // in a request: only ask
	RoleEqual    Role = 1 // what every connection starts as
	RoleMaster   Role = 2 // makes the master before a slave
	RoleSlave    Role = 3 // may read, and change nothing
)

// String is the role in lower case.
func (r Role) String() string {
	switch r {
	case RoleNoChange:
		return "nochange"
	case RoleEqual:
		return "equal"
	case RoleMaster:
		return "master"
	case RoleSlave:
		return "slave"
	default:
		return fmt.Sprintf("Role(0x%x)", uint32(r))
	}
}

// NoGeneration is the generation in a RoleReply of a switch that never got one.
const NoGeneration = ^uint64(0)

// RoleRequest asks for a role (OpenFlow 1.5.1, 7.3.8). The zero value asks only
// which one the connection has. For RoleMaster and RoleSlave the switch compares
// Generation with the largest it has got, as a difference of 64 bits with a
// sign, and refuses an older one: see IsStale.
type RoleRequest struct {
	Role       Role
	Generation uint64
}

// RoleReply is the switch's answer: the role the connection has now, and the
// largest generation it has got, or NoGeneration.
type RoleReply struct {
	Role       Role
	Generation uint64
}

// Offsets within the message. OpenFlow 1.5 has a short controller ID and its
// padding between the two, 1.3 padding alone.
const (
	offRole       = openflow.HeaderLen
	offGeneration = 16
	roleLen       = 24
)

// AppendMessage appends the message; see Message.
func (m RoleRequest) AppendMessage(b []byte, v ofgroup.Version) ([]byte, error) {
	return appendMessage(b, v, openflow.TypeRoleRequest, func(b []byte) ([]byte, error) {
		b = binary.BigEndian.AppendUint32(b, uint32(m.Role))
		return binary.BigEndian.AppendUint64(appendZeros(b, 4), m.Generation), nil
	})
}

// ParseRoleReply decodes a whole OFPT_ROLE_REPLY, of either version. The error
// matches ofgroup.ErrMalformed.
func ParseRoleReply(msg []byte) (RoleReply, error) {
	if _, err := checkMessage(msg, openflow.TypeRoleReply, roleLen); err != nil {
		return RoleReply{}, err
	}
	return RoleReply{
		Role:       Role(binary.BigEndian.Uint32(msg[offRole:])),
		Generation: binary.BigEndian.Uint64(msg[offGeneration:]),
	}, nil
}

// IsStale reports whether err is the switch's refusal of a RoleRequest because
// another connection has come with a newer generation (OFPRRFC_STALE).
func IsStale(err error) bool {
	var e *ofgroup.SwitchError
	return errors.As(err, &e) && e.Type == openflow.ErrorRoleRequest && e.Code == openflow.RoleStale
}
