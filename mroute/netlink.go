package mroute

import (
	"encoding/binary"
	"math"
	"net/netip"
	"time"

	"github.com/mdlayher/netlink"
)

// What the kernel's netlink messages of multicast routes and VIFs hold: linux/rtnetlink.h and linux/mroute.h.
const (
	familyIPMR = 128 // RTNL_FAMILY_IPMR

	rtmsgLen    = 12 // struct rtmsg
	offTable    = 4
	offProtocol = 5
	offFlags    = 8

	rtprotStatic       = 4
	rtnhFlagOffload    = 8
	rtnhFlagUnresolved = 32

	rtaDst       = 1
	rtaSrc       = 2
	rtaIIF       = 3
	rtaMultipath = 9
	rtaTable     = 15
	rtaMFCStats  = 17
	rtaExpires   = 23

	nexthopLen = 8 // struct rtnexthop: u16 length, u8 flags, u8 hops, int interface index
	statsLen   = 24
)

// clockTick is the unit of RTA_EXPIRES: USER_HZ is 100 on every architecture that Go runs on.
const clockTick = 10 * time.Millisecond

// parseRoute reads the body of RTM_NEWROUTE or RTM_DELROUTE. It knows interfaces by index only. What is not about an
// IPv4 multicast route, and what is cut off, is ErrMalformed.
func parseRoute(b []byte) (KernelRoute, error) {
	if len(b) < rtmsgLen || b[0] != familyIPMR {
		return KernelRoute{}, ErrMalformed
	}
	flags := binary.NativeEndian.Uint32(b[offFlags:])
	r := KernelRoute{
		Table:      uint32(b[offTable]),
		In:         Port{VIF: NoVIF},
		Unresolved: flags&rtnhFlagUnresolved != 0,
		Offloaded:  flags&rtnhFlagOffload != 0,
		Static:     b[offProtocol] == rtprotStatic,
	}
	ad, err := netlink.NewAttributeDecoder(b[rtmsgLen:])
	if err != nil {
		return KernelRoute{}, ErrMalformed
	}
	for ad.Next() {
		r.attribute(ad)
	}
	if ad.Err() != nil || !r.Source.IsValid() || !r.Group.IsValid() {
		return KernelRoute{}, ErrMalformed
	}
	return r, nil
}

func (r *KernelRoute) attribute(ad *netlink.AttributeDecoder) {
	switch ad.Type() {
	case rtaSrc:
		ad.Do(func(b []byte) error { return address(&r.Source, b) })
	case rtaDst:
		ad.Do(func(b []byte) error { return address(&r.Group, b) })
	case rtaTable:
		r.Table = ad.Uint32()
	case rtaIIF:
		r.In.Index = IfIndex(ad.Int32())
	case rtaMultipath:
		ad.Do(r.nexthops)
	case rtaMFCStats:
		ad.Do(r.stats)
	case rtaExpires:
		r.Idle = time.Duration(min(ad.Uint64(), math.MaxInt64/uint64(clockTick))) * clockTick
	}
}

func address(a *netip.Addr, b []byte) error {
	if len(b) != 4 {
		return ErrMalformed
	}
	*a = netip.AddrFrom4([4]byte(b))
	return nil
}

func (r *KernelRoute) nexthops(b []byte) error {
	r.Out = make([]KernelHop, 0, min(len(b)/nexthopLen, MaxVIFs))
	for len(b) > 0 {
		if len(b) < nexthopLen {
			return ErrMalformed
		}
		length := int(binary.NativeEndian.Uint16(b))
		if length < nexthopLen || length > len(b) {
			return ErrMalformed
		}
		index := IfIndex(int32(binary.NativeEndian.Uint32(b[4:])))
		r.Out = append(r.Out, KernelHop{Port: Port{VIF: NoVIF, Index: index}, TTL: b[3]})
		b = b[min((length+3)&^3, len(b)):]
	}
	return nil
}

func (r *KernelRoute) stats(b []byte) error {
	if len(b) < statsLen {
		return ErrMalformed
	}
	r.Counters = RouteCounters{
		Packets: binary.NativeEndian.Uint64(b),
		Bytes:   binary.NativeEndian.Uint64(b[8:]),
		WrongIf: binary.NativeEndian.Uint64(b[16:]),
	}
	return nil
}
