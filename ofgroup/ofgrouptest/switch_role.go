package ofgrouptest

import (
	"slices"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// Roles of a connection (section 7.3.8).
const (
	roleNoChange = 0
	roleEqual    = 1
	roleMaster   = 2
	roleSlave    = 3
)

// election is what the switch knows of generations: the largest it was given, in the
// sense of a difference of 64 bits with a sign. It outlives connections.
type election struct {
	generation uint64
	begun      bool
}

func (e *election) admit(generation uint64) bool {
	if e.begun && int64(generation-e.generation) < 0 {
		return false
	}
	e.generation, e.begun = generation, true
	return true
}

// known is the generation as a reply shows it.
func (e election) known() uint64 {
	if !e.begun {
		return ^uint64(0)
	}
	return e.generation
}

// roleRequest gives the connection a role. Master and slave name a generation, equal
// does not. A new master makes the old one a slave, which is told so.
func (c *switchConn) roleRequest(m []byte) ([][]byte, verdict) {
	role, generation := be.Uint32(m[8:]), be.Uint64(m[16:])
	if role > roleSlave {
		return nil, badRole
	}
	if (role == roleMaster || role == roleSlave) && !c.sw.election.admit(generation) {
		return nil, staleRole
	}
	if role == roleMaster {
		c.sw.demoteAllBut(c)
	}
	if role != roleNoChange {
		c.role = role
	}
	return [][]byte{roleMessage(openflow.TypeRoleReply, xidOf(m), c.role, c.sw.election)}, accepted
}

// demoteAllBut makes a slave of the old master, also of one whose connection has ended
// but whose messages have not all been obeyed: that is what refuses them.
func (s *Switch) demoteAllBut(master *switchConn) {
	for c := range s.unread {
		if c != master && c.role == roleMaster {
			c.role = roleSlave
			c.offer(roleMessage(openflow.TypeRoleStatus, 0, roleSlave, s.election)) // reason 0: there is a new master
		}
	}
}

// roleMessage is a ROLE_REPLY, or a ROLE_STATUS, whose reason stands in its padding.
func roleMessage(t uint8, xid, role uint32, e election) []byte {
	body := be.AppendUint32(nil, role)
	body = append(body, 0, 0, 0, 0)
	return message(openflow.Version15, t, xid, be.AppendUint64(body, e.known()))
}

// Roles are the roles of the open connections, in the order they were made: "equal",
// "master" or "slave".
func (s *Switch) Roles() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	names := [...]string{roleEqual: "equal", roleMaster: "master", roleSlave: "slave"}
	var roles []string
	for _, c := range s.inOrder() {
		roles = append(roles, names[c.role])
	}
	return roles
}

// inOrder are the open connections, oldest first.
func (s *Switch) inOrder() []*switchConn {
	conns := make([]*switchConn, 0, len(s.conns))
	for c := range s.conns {
		conns = append(conns, c)
	}
	slices.SortFunc(conns, func(a, b *switchConn) int { return a.number - b.number })
	return conns
}
