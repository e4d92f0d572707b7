package igmp

import (
	"encoding/binary"
	"net/netip"
)

// Decoder decodes one frame after the other without allocating. The zero value is ready; a Decoder belongs to one
// goroutine at a time. Each method returns the same *View, never nil, and overwrites what the last call left in it.
type Decoder struct{ view View }

// Frame decodes an Ethernet frame without its FCS: none to two VLAN tags (0x8100, 0x88a8), IPv4 with options, IGMP.
// What lies behind the IPv4 total length is padding and not looked at. The errors are the bare sentinels.
func (d *Decoder) Frame(frame []byte) (*View, error) {
	v := &d.view
	*v = View{}
	packet, err := v.readEthernet(frame)
	if err != nil {
		return v, err
	}
	return v, v.readIPv4(packet)
}

// Packet is Frame for an IPv4 packet without Ethernet header, as a raw socket delivers it.
func (d *Decoder) Packet(packet []byte) (*View, error) {
	v := &d.view
	*v = View{}
	return v, v.readIPv4(packet)
}

// Payload is Frame for the IGMP message alone.
func (d *Decoder) Payload(payload []byte) (*View, error) {
	v := &d.view
	*v = View{}
	v.payload = payload
	return v, v.readMessage(payload)
}

// readEthernet returns what lies behind the Ethernet header.
func (v *View) readEthernet(frame []byte) ([]byte, error) {
	if len(frame) < ethHeader {
		return nil, ErrFrameShort
	}
	v.EthDst, v.EthSrc = MAC(frame[0:]), MAC(frame[6:])
	v.EtherType = binary.BigEndian.Uint16(frame[ethAddrs:])
	rest := frame[ethHeader:]
	for v.EtherType == tpidCustomer || v.EtherType == tpidService {
		if v.numTags == maxVLANs {
			return nil, ErrVLANDepth
		}
		if len(rest) < vlanTag {
			return nil, ErrFrameShort
		}
		v.tags[v.numTags] = vlanFrom(v.EtherType, binary.BigEndian.Uint16(rest))
		v.numTags++
		v.EtherType = binary.BigEndian.Uint16(rest[2:])
		rest = rest[vlanTag:]
	}
	v.Layer = LayerEthernet
	if v.EtherType != etherTypeIPv4 {
		return nil, ErrNotIPv4
	}
	return rest, nil
}

const (
	ipHeader    = 20 // without options
	ipMaxPacket = 0xffff

	protocolIGMP = 2

	flagDontFragment = 0x4000
	maskFragment     = 0x3fff // more fragments, and the offset

	optionEnd          = 0
	optionNop          = 1
	optionRouterAlert  = 148
	routerAlertLen     = 4 // RFC 2113 2.1
	routerAlertOptions = uint32(optionRouterAlert<<24 | routerAlertLen<<16)
)

// readIPv4 reads an IPv4 packet and the message in it. A wrong header checksum is reported in preference to whatever
// else is wrong, because that may be its consequence.
func (v *View) readIPv4(p []byte) error {
	if len(p) < ipHeader || p[0]>>4 != 4 {
		return ErrIPHeader
	}
	header := int(p[0]&0x0f) * 4
	if header < ipHeader || header > len(p) {
		return ErrIPHeader
	}
	v.Layer = LayerIPv4
	v.TOS = p[1]
	v.ID = binary.BigEndian.Uint16(p[4:])
	v.Fragment = binary.BigEndian.Uint16(p[6:])&maskFragment != 0
	v.TTL = p[8]
	v.Protocol = p[9]
	v.Src = netip.AddrFrom4([addrLen]byte(p[12:]))
	v.Dst = netip.AddrFrom4([addrLen]byte(p[16:]))
	fault := v.readIPv4Payload(p, header)
	v.IPChecksum = ChecksumGood
	if onesSum(p[:header]) != 0xffff {
		v.IPChecksum = ChecksumBad
		return ErrIPChecksum
	}
	return fault
}

// readIPv4Payload reads the options, cuts the packet at its total length (RFC 791 3.1) and reads what remains.
func (v *View) readIPv4Payload(p []byte, header int) error {
	if header > ipHeader && !v.readOptions(p[ipHeader:header]) {
		return ErrIPOptions
	}
	total := int(binary.BigEndian.Uint16(p[2:]))
	if total < header || total > len(p) {
		return ErrIPLength
	}
	v.payload = p[header:total]
	switch {
	case v.Protocol != protocolIGMP:
		return ErrNotIGMP
	case v.Fragment:
		return ErrFragment
	}
	return v.readMessage(v.payload)
}

// readOptions looks for Router Alert and reports whether the options are well-formed (RFC 791 3.1).
func (v *View) readOptions(o []byte) bool {
	if len(o) == routerAlertLen && binary.BigEndian.Uint32(o) == routerAlertOptions {
		v.RouterAlert = true // what nearly every sender has
		return true
	}
	for len(o) > 0 && o[0] != optionEnd {
		if o[0] == optionNop {
			o = o[1:]
			continue
		}
		if len(o) < 2 || o[1] < 2 || int(o[1]) > len(o) {
			return false
		}
		if o[0] == optionRouterAlert && o[1] == routerAlertLen {
			v.RouterAlert = true
		}
		o = o[o[1]:]
	}
	return true
}
