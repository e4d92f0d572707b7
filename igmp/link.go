package igmp

import (
	"encoding/hex"
	"net/netip"
)

// MAC is an Ethernet address in wire order, comparable and owning its bytes. net.HardwareAddr(m[:]) converts.
type MAC [6]byte

// String returns the address as 02:00:00:00:00:01.
func (m MAC) String() string {
	var s [17]byte
	for i := range m {
		hex.Encode(s[3*i:], m[i:i+1])
		if i < len(m)-1 {
			s[3*i+2] = ':'
		}
	}
	return string(s[:])
}

// group tells a multicast or broadcast address.
func (m MAC) group() bool { return m[0]&1 != 0 }

// GroupMAC returns the Ethernet address that carries an IPv4 multicast group: 01:00:5e and the group's low 23 bits
// (RFC 1112 6.4), so 32 groups share one. Any other address is ErrAddress.
func GroupMAC(group netip.Addr) (MAC, error) {
	group = group.Unmap()
	if !group.Is4() || !group.IsMulticast() {
		return MAC{}, ErrAddress
	}
	a := group.As4()
	return MAC{0x01, 0x00, 0x5e, a[1] & 0x7f, a[2], a[3]}, nil
}

// VLAN is one tag of a frame.
type VLAN struct {
	// TPID is the tag's EtherType: 0x8100 (IEEE 802.1Q) or 0x88a8 (802.1ad). Zero means 0x8100 when encoding.
	TPID uint16
	// ID is the VLAN, 0 to 4095. Zero is a priority tag: the frame is in no VLAN.
	ID uint16
	// Priority is the priority code point, 0 to 7.
	Priority uint8
	// DropEligible is the drop eligible indicator.
	DropEligible bool
}

const (
	tpidCustomer  = 0x8100
	tpidService   = 0x88a8
	etherTypeIPv4 = 0x0800

	ethAddrs  = 12 // both addresses
	ethHeader = 14
	vlanTag   = 4
	maxVLANs  = 2
)

func vlanFrom(tpid, tci uint16) VLAN {
	return VLAN{TPID: tpid, ID: tci & 0x0fff, Priority: uint8(tci >> 13), DropEligible: tci&0x1000 != 0}
}

// tag returns the four bytes of the tag.
func (t VLAN) tag() (tpid, tci uint16, err error) {
	tpid = t.TPID
	if tpid == 0 {
		tpid = tpidCustomer
	}
	if tpid != tpidCustomer && tpid != tpidService || t.ID > 0x0fff || t.Priority > 7 {
		return 0, 0, ErrVLAN
	}
	tci = uint16(t.Priority)<<13 | t.ID
	if t.DropEligible {
		tci |= 0x1000
	}
	return tpid, tci, nil
}
