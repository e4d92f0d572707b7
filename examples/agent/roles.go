package main

import (
	"fmt"

	"github.com/ofmcast/ofmcast/examples/ovsdb"
	"github.com/ofmcast/ofmcast/igmp/snooper"
)

// role is what a port of the bridge is for.
type role uint8

const (
	// roleMember is every port that nobody said anything about: hosts are behind it, whom nobody has to
	// believe.
	roleMember role = iota + 1
	// roleGateway is the port whose other end the kernel routes.
	roleGateway
	// roleUplink leads to switches and routers that are not ours: routers are believed there, and it is a
	// router port for as long as one is heard. We do not query there.
	roleUplink
	// roleRouter is a router port for ever, heard or not.
	roleRouter
	// roleTunnel leads to other nodes; see tunnel. Where there are none, nothing is sent there, and
	// multicast from there is dropped.
	roleTunnel
	// roleBridge is the bridge's own port, by which the host itself sends. It is no member.
	roleBridge
)

// roleKey is the key in the external_ids of an Interface, or else of its Port, with a role.
const roleKey = "ofmcast-role"

// roleNames are those that can be given.
func roleNames() map[string]role {
	return map[string]role{
		"member": roleMember, "gateway": roleGateway, "uplink": roleUplink, "router": roleRouter, "tunnel": roleTunnel,
	}
}

func (r role) String() string {
	for name, of := range roleNames() {
		if of == r {
			return name
		}
	}
	if r == roleBridge {
		return "bridge"
	}
	return fmt.Sprintf("role(0x%x)", uint8(r))
}

// roleOf is the role that the database gives an interface, roleMember if it gives none.
func roleOf(p ovsdb.Port, i ovsdb.Interface) (role, error) {
	for _, ids := range []map[string]string{i.ExternalIDs, p.ExternalIDs} {
		if name, ok := ids[roleKey]; ok {
			if r, known := roleNames()[name]; known {
				return r, nil
			}
			return roleMember, fmt.Errorf("port %s: external_ids:%s: %q is no role", p.Name, roleKey, name)
		}
	}
	return roleMember, nil
}

// snooper is what the role lets a router's signs do. A tenant shall neither become querier nor draw all
// multicast to itself.
func (r role) snooper() snooper.Role {
	switch r {
	case roleUplink:
		return snooper.Trusted
	case roleRouter:
		return snooper.Router
	}
	return snooper.Member
}

// mayRoute says whether a router can be there.
func (r role) mayRoute() bool { return r == roleUplink || r == roleRouter }

// reports says whether reports from such a port count.
func (r role) reports() bool { return r == roleMember || r.mayRoute() }
