package mcast

import (
	"cmp"
	"fmt"
	"net/netip"
)

// Group is a multicast group in one segment. It is comparable. An address of
// IPv4 mapped into IPv6 and a zone are taken off by everything that takes a
// Group (contract I3), and never handed out.
type Group struct {
	// Addr is the multicast address, IPv4 or IPv6.
	Addr netip.Addr
	// Segment keeps apart equal addresses in different VLANs, VRFs or VNIs;
	// 0 is none.
	Segment uint32
}

// String is the address, with the segment after an @ if there is one.
func (g Group) String() string {
	if g.Segment == 0 {
		return g.Addr.String()
	}
	return fmt.Sprintf("%v@%d", g.Addr, g.Segment)
}

// Compare orders groups by segment, then by address. It returns -1, 0 or 1.
func (g Group) Compare(o Group) int {
	return cmp.Or(cmp.Compare(g.Segment, o.Segment), g.Addr.Compare(o.Addr))
}

// plain is the form in which groups are kept: contract I3.
func (g Group) plain() Group {
	g.Addr = plainAddr(g.Addr)
	return g
}

func plainAddr(a netip.Addr) netip.Addr { return a.Unmap().WithZone("") }

// sourceFault returns why a plain address is no source of the group, or "".
func (g Group) sourceFault(s netip.Addr) string {
	if !s.IsValid() || s.Is4() != g.Addr.Is4() || s.IsMulticast() || s.IsUnspecified() {
		return "source is not a unicast address of the group's family"
	}
	return ""
}
