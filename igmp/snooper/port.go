package snooper

import "strconv"

// Port names a port of the switch. The numbers are the caller's: OpenFlow port numbers, interface indexes.
type Port uint32

// Role says what may come from a port. Reports and leaves are taken from every port, within Config's Limits.
type Role uint8

const (
	// Auto is the role of a port that was given none: what looks like a router is one.
	Auto Role = iota
	// Member is for ports with hosts behind them whom nobody has to believe, for instance tenants. Queries, PIM, DVMRP
	// and router advertisements from there are counted, not used and not forwarded, so that no host becomes querier
	// for the others or draws all multicast to itself. An agent sets it on every port that it was told nothing about.
	Member
	// Router is a router port in every VLAN, always: nothing is learnt there and nothing ends it. Queries and the like
	// are not limited in number.
	Router
	// Trusted is Auto without Limits and MaxRouterPorts. Checks and the Validator hold here too.
	Trusted
)

// String returns the role in lower case, Role(0x..) for an unknown one.
func (r Role) String() string {
	switch r {
	case Auto:
		return "auto"
	case Member:
		return "member"
	case Router:
		return "router"
	case Trusted:
		return "trusted"
	}
	return "Role(0x" + strconv.FormatUint(uint64(r)>>4, 16) + strconv.FormatUint(uint64(r)&0xf, 16) + ")"
}

// SetRole gives a port its role, for frames from now on. A new role forgets what was learnt on the port and how much it
// sent; the role that it has already changes nothing. A role that is none of the four counts as Member.
func (s *Snooper) SetRole(p Port, r Role) {
	if r > Trusted {
		r = Member
	}
	if r == s.roles[p] {
		return
	}
	s.RemovePort(p)
	if r != Auto {
		s.roles[p] = r
	}
	if r == Router {
		s.routers.addStatic(p)
	}
}

// Role returns the port's role.
func (s *Snooper) Role(p Port) Role { return s.roles[p] }

// RemovePort forgets all about a port that is gone: its role, what was learnt there and how much it sent. If the number
// comes back, it is a new port.
func (s *Snooper) RemovePort(p Port) {
	delete(s.roles, p)
	s.routers.removePort(p)
	s.rate.remove(p)
}
