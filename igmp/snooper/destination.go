package snooper

import (
	"net/netip"

	"github.com/ofmcast/ofmcast/igmp"
)

var (
	allSystems  = netip.AddrFrom4([4]byte{224, 0, 0, 1})
	allRouters  = netip.AddrFrom4([4]byte{224, 0, 0, 2})
	allV3       = netip.AddrFrom4([4]byte{224, 0, 0, 22})
	allSnoopers = netip.AddrFrom4([4]byte{224, 0, 0, 106})
)

// rightDestination is the table in the comment of Checks.Destination.
func (c *Checks) rightDestination(v *igmp.View) bool {
	if c.Destination == CheckOff {
		return true
	}
	lenient := c.Destination != CheckStrict
	switch v.Type {
	case igmp.TypeQuery:
		if general(v) {
			return v.Dst == allSystems
		}
		return v.Dst == v.Group || lenient && v.Dst == allSystems
	case igmp.TypeReportV1, igmp.TypeReportV2:
		return lenient || v.Dst == v.Group
	case igmp.TypeReportV3:
		return lenient || v.Dst == allV3
	case igmp.TypeLeave:
		return v.Dst == allRouters || v.Dst == v.Group && v.Group.IsMulticast()
	case igmp.TypeRouterAdvertisement, igmp.TypeRouterTermination:
		return v.Dst == allSnoopers
	}
	return true // DVMRP and PIM have unicast messages too; hellos are told by their destination
}

// general tells a general query. A v1 query is one whatever its group field says (RFC 1112 Appendix I).
func general(v *igmp.View) bool { return v.Version == 1 || v.Group.IsUnspecified() }

// toOneStation tells a frame that one station alone will hear.
func toOneStation(v *igmp.View) bool {
	return v.EthDst[0]&1 == 0 && !v.Dst.IsMulticast() && v.Dst != broadcast
}
