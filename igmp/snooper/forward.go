package snooper

import (
	"net/netip"
	"strconv"
)

// Forward says where a frame must go. The port that it came from is never among the receivers, and neither is a port of
// another VLAN.
type Forward uint8

const (
	// ForwardNone: nowhere.
	ForwardNone Forward = iota + 1
	// ForwardRouters: to the router ports, Snooper.RouterPorts. Not to members: an IGMPv1 or IGMPv2 host that hears
	// another's report keeps back its own, and would never be known (RFC 4541 2.1.1(1)).
	ForwardRouters
	// ForwardMembers: to the members of the destination group, whom the caller knows, and to the router ports. A group
	// without members still goes to the router ports, where receivers may be that no report told of (RFC 4541 2.1.2(1)).
	ForwardMembers
	// ForwardAll: to every port.
	ForwardAll
	// ForwardNormal: as if nobody snooped; it is none of IPv4 multicast's.
	ForwardNormal
)

// String returns the name without its prefix, Forward(0x..) for an unknown value.
func (f Forward) String() string {
	switch f {
	case ForwardNone:
		return "none"
	case ForwardRouters:
		return "routers"
	case ForwardMembers:
		return "members and routers"
	case ForwardAll:
		return "all"
	case ForwardNormal:
		return "normal"
	}
	return "Forward(0x" + strconv.FormatUint(uint64(f)>>4, 16) + strconv.FormatUint(uint64(f)&0xf, 16) + ")"
}

// Data says where an IPv4 packet that is not IGMP goes, by its destination: ForwardMembers for a group, except for
// 224.0.0.0/24, which no switch may prune (RFC 4541 2.1.2(2)): ForwardAll. The decision is by address, never by MAC:
// 32 groups share each MAC, those of 224.0.0.0/24 among them.
func (s *Snooper) Data(dst netip.Addr) Forward {
	dst = dst.Unmap()
	switch {
	case !dst.Is4() || !dst.IsMulticast():
		return ForwardNormal
	case linkLocal(dst):
		return ForwardAll
	}
	return ForwardMembers
}

// linkLocal tells 224.0.0.0/24 of an IPv4 address. 224.0.1.0 and up are groups like any other.
func linkLocal(a netip.Addr) bool {
	b := a.As4()
	return b[0] == 224 && b[1] == 0 && b[2] == 0
}
