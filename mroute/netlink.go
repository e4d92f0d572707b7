package mroute

import (
	"encoding/binary"
	"math"
	"net/netip"
	"time"
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

	nlattrLen   = 4      // struct nlattr: u16 length, u16 type and flags
	nlaTypeMask = 0x3fff // NLA_TYPE_MASK

	nexthopLen = 8 // struct rtnexthop: u16 length, u8 flags, u8 hops, int interface index
	statsLen   = 24
)

// clockTick is the unit of RTA_EXPIRES: USER_HZ is 100 on every architecture that Go runs on.
const clockTick = 10 * time.Millisecond

// parseRoute reads the body of RTM_NEWROUTE or RTM_DELROUTE. It knows interfaces by index only. What is not about an
// IPv4 multicast route, and what is cut off, is ErrMalformed.
func parseRoute(b []byte) (KernelRoute, error) {
	var r KernelRoute
	if err := r.parse(b); err != nil {
		return KernelRoute{}, err
	}
	return r, nil
}

// parse fills r, which is zero.
func (r *KernelRoute) parse(b []byte) error {
	if len(b) < rtmsgLen || b[0] != familyIPMR {
		return ErrMalformed
	}
	flags := binary.NativeEndian.Uint32(b[offFlags:])
	r.Table = uint32(b[offTable])
	r.In.VIF = NoVIF
	r.Unresolved = flags&rtnhFlagUnresolved != 0
	r.Offloaded = flags&rtnhFlagOffload != 0
	r.Static = b[offProtocol] == rtprotStatic
	for b = b[rtmsgLen:]; len(b) > 0; {
		kind, value, rest, err := attribute(b)
		if err != nil {
			return err
		}
		if err := r.attribute(kind, value); err != nil {
			return err
		}
		b = rest
	}
	if !r.Source.IsValid() || !r.Group.IsValid() {
		return ErrMalformed
	}
	return nil
}

// attribute takes the first attribute off b. A dump has thousands, so they are read where they are.
func attribute(b []byte) (kind uint16, value, rest []byte, err error) {
	if len(b) < nlattrLen {
		return 0, nil, nil, ErrMalformed
	}
	length := int(binary.NativeEndian.Uint16(b))
	if length < nlattrLen || length > len(b) {
		return 0, nil, nil, ErrMalformed
	}
	return binary.NativeEndian.Uint16(b[2:]) & nlaTypeMask, b[nlattrLen:length], b[min((length+3)&^3, len(b)):], nil
}

func (r *KernelRoute) attribute(kind uint16, b []byte) error {
	switch kind {
	case rtaSrc:
		return address(&r.Source, b)
	case rtaDst:
		return address(&r.Group, b)
	case rtaMultipath:
		return r.nexthops(b)
	case rtaMFCStats:
		return r.stats(b)
	case rtaTable:
		return word(&r.Table, b)
	case rtaIIF:
		var index uint32
		err := word(&index, b)
		r.In.Index = IfIndex(int32(index))
		return err
	case rtaExpires:
		return r.expires(b)
	}
	return nil
}

func word(n *uint32, b []byte) error {
	if len(b) != 4 {
		return ErrMalformed
	}
	*n = binary.NativeEndian.Uint32(b)
	return nil
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

func (r *KernelRoute) expires(b []byte) error {
	if len(b) != 8 {
		return ErrMalformed
	}
	r.Idle = time.Duration(min(binary.NativeEndian.Uint64(b), math.MaxInt64/uint64(clockTick))) * clockTick
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
