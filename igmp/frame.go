package igmp

import (
	"encoding/binary"
	"net/netip"
)

// Header is what AppendFrame and AppendPacket put in front of a message. Only the addresses of the sender have no
// default. What is not here is fixed: Router Alert (RFC 9776 4, RFC 2113), don't fragment, protocol 2; so the zero
// values make the frames that the Linux kernel sends.
type Header struct {
	// EthSrc is the sender's MAC; zero and group addresses are ErrMAC.
	EthSrc MAC
	// EthDst is zero for the address that Dst's group maps to. A unicast Dst needs one.
	EthDst MAC
	// VLANs are the tags, outermost first, two at most.
	VLANs []VLAN

	// Src is the sender's address: 0.0.0.0 for a host without one (RFC 9776 4.2.14) and for a proxy querier
	// (RFC 4541 2.1.1). The zero Addr is ErrAddress.
	Src netip.Addr
	// Dst is the zero Addr for the destination that belongs to the message; see Destination.
	Dst netip.Addr
	// TTL 0 means 1, the only one that IGMP uses.
	TTL uint8
	// TOS 0 means 0xc0, internetwork control (RFC 9776 4).
	TOS uint8
	// ID is the identification field, of no meaning in a packet that is never fragmented (RFC 6864 4.1).
	ID uint16
}

const (
	defaultTTL = 1
	defaultTOS = 0xc0

	offIPChecksum = 10
	ipAlertHeader = ipHeader + routerAlertLen
)

// The well-known destinations.
var (
	allSystems    = netip.AddrFrom4([4]byte{224, 0, 0, 1})
	allRouters    = netip.AddrFrom4([4]byte{224, 0, 0, 2})
	igmpRouters   = netip.AddrFrom4([4]byte{224, 0, 0, 22})
	allSnoopers   = netip.AddrFrom4([4]byte{224, 0, 0, 106})
	unspecifiedV4 = netip.IPv4Unspecified()
)

// Destination returns the address that a message is sent to: 224.0.0.1 for a general query and the group for a
// specific one (RFC 9776 4.1.12), the group for a v1/v2 report and 224.0.0.2 for a leave (RFC 2236 9),
// 224.0.0.22 for a v3 report (RFC 9776 4.2.15), 224.0.0.106 and 224.0.0.2 for router discovery (RFC 4286 3 to 5).
// Any other message, and a group that is not multicast, is ErrDestination; nil is ErrNoMessage.
func Destination(m Message) (netip.Addr, error) {
	if absent(m) {
		return netip.Addr{}, ErrNoMessage
	}
	var dst netip.Addr
	switch m := m.(type) {
	case *Query:
		dst = m.Group.Unmap()
		if dst == unspecifiedV4 {
			return allSystems, nil
		}
	case *ReportV1:
		dst = m.Group.Unmap()
	case *ReportV2:
		dst = m.Group.Unmap()
	case *Leave:
		return allRouters, nil
	case *ReportV3:
		return igmpRouters, nil
	case *Other:
		dst = routerDiscovery(m.MessageType)
	}
	if !dst.Is4() || !dst.IsMulticast() {
		return netip.Addr{}, ErrDestination
	}
	return dst, nil
}

func routerDiscovery(t Type) netip.Addr {
	switch t {
	case TypeRouterAdvertisement, TypeRouterTermination:
		return allSnoopers
	case TypeRouterSolicitation:
		return allRouters
	}
	return netip.Addr{}
}

// AppendFrame appends the Ethernet frame that carries m, without padding and FCS, to b. Given room it allocates
// nothing. On error, an *Error, b comes back as it was. A nil message is ErrNoMessage.
func AppendFrame(b []byte, h Header, m Message) ([]byte, error) {
	if absent(m) {
		return b, encodeError(0, "", ErrNoMessage)
	}
	start := len(b)
	dst, err := h.destination(m)
	if err != nil {
		return b, encodeError(m.Type(), "destination", err)
	}
	if b, err = h.appendEthernet(b, dst); err != nil {
		return b[:start], encodeError(m.Type(), "Ethernet header", err)
	}
	if b, err = h.appendPacket(b, dst, m); err != nil {
		return b[:start], err
	}
	return b, nil
}

// AppendPacket is AppendFrame for an IPv4 packet without Ethernet header.
func AppendPacket(b []byte, h Header, m Message) ([]byte, error) {
	if absent(m) {
		return b, encodeError(0, "", ErrNoMessage)
	}
	dst, err := h.destination(m)
	if err != nil {
		return b, encodeError(m.Type(), "destination", err)
	}
	return h.appendPacket(b, dst, m)
}

func (h *Header) destination(m Message) (netip.Addr, error) {
	if !h.Dst.IsValid() {
		return Destination(m)
	}
	dst := h.Dst.Unmap()
	if !dst.Is4() {
		return dst, ErrAddress
	}
	return dst, nil
}

func (h *Header) appendEthernet(b []byte, dst netip.Addr) ([]byte, error) {
	if len(h.VLANs) > maxVLANs {
		return b, ErrVLANDepth
	}
	if h.EthSrc == (MAC{}) || h.EthSrc.group() {
		return b, ErrMAC
	}
	mac := h.EthDst
	if mac == (MAC{}) {
		var err error
		if mac, err = GroupMAC(dst); err != nil {
			return b, ErrDestination
		}
	}
	b = append(append(b, mac[:]...), h.EthSrc[:]...)
	for _, vlan := range h.VLANs {
		tpid, tci, err := vlan.tag()
		if err != nil {
			return b, err
		}
		b = binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(b, tpid), tci)
	}
	return binary.BigEndian.AppendUint16(b, etherTypeIPv4), nil
}

func (h *Header) appendPacket(b []byte, dst netip.Addr, m Message) ([]byte, error) {
	start := len(b)
	total := ipAlertHeader + m.size()
	if total > ipMaxPacket {
		return b, encodeError(m.Type(), "", ErrTooLong)
	}
	src := h.Src.Unmap()
	if !src.Is4() {
		return b, encodeError(m.Type(), "source", ErrAddress)
	}
	b = h.appendIPv4(b, uint16(total), src.As4(), dst.As4())
	setChecksum(b[start:], offIPChecksum)
	b, err := m.AppendBinary(b)
	if err != nil {
		return b[:start], err
	}
	return b, nil
}

// appendIPv4 appends the IPv4 header with a checksum of zero.
func (h *Header) appendIPv4(b []byte, total uint16, src, dst [addrLen]byte) []byte {
	ttl, tos := h.TTL, h.TOS
	if ttl == 0 {
		ttl = defaultTTL
	}
	if tos == 0 {
		tos = defaultTOS
	}
	b = append(b, 4<<4|ipAlertHeader/4, tos)
	b = binary.BigEndian.AppendUint16(b, total)
	b = binary.BigEndian.AppendUint16(b, h.ID)
	b = binary.BigEndian.AppendUint16(b, flagDontFragment)
	b = append(b, ttl, protocolIGMP, 0, 0)
	b = append(append(b, src[:]...), dst[:]...)
	return binary.BigEndian.AppendUint32(b, routerAlertOptions)
}
