package main

import (
	"encoding/binary"
	"slices"

	"github.com/gopacket/gopacket/layers"

	"github.com/ofmcast/ofmcast/igmp"
)

const (
	etherTypeIPv4 = 0x0800
	etherTypeIPv6 = 0x86dd
	minEtherType  = 0x0600 // below it is a length, and LLC follows (IEEE 802.3)

	macLen    = 6
	ethHeader = 14
	vlanTag   = 4
	llcSNAP   = 8
)

// tagTypes are the EtherTypes of VLAN tags, also of those before IEEE 802.1ad.
var tagTypes = []uint16{0x8100, 0x88a8, 0x9100}

// link is what lies in front of a network packet. It is read to any depth of tags, where a switch,
// and package igmp, stop at two.
type link struct {
	src       string // Ethernet address of the sender
	vlans     []int  // outermost first
	etherType uint16
	rest      []byte
	whole     bool // all of it is there
	unknown   bool // a link type that is not read
}

// readLink reads what a frame begins with.
func readLink(t layers.LinkType, b []byte) link {
	var l link
	switch t {
	case layers.LinkTypeEthernet:
		l.header(b, ethHeader, 12, macLen, macLen)
	case layers.LinkTypeLinuxSLL:
		l.header(b, 16, 14, 6, lengthAt(b, 4, 2))
	case layers.LinkTypeLinuxSLL2:
		l.header(b, 20, 0, 12, lengthAt(b, 11, 1))
	case layers.LinkTypeRaw, layers.LinkTypeIPv4:
		l.etherType, l.rest, l.whole = etherTypeIPv4, b, true
		if len(b) > 0 && b[0]>>4 == 6 {
			l.etherType = etherTypeIPv6
		}
	default:
		l.unknown = true
	}
	if l.whole {
		l.readTags()
		l.readSNAP()
	}
	return l
}

// header reads a header of so many bytes, with its EtherType and address at these places.
func (l *link) header(b []byte, size, typeAt, addrAt, addrLen int) {
	if addrLen == macLen && len(b) >= addrAt+macLen {
		l.src = igmp.MAC(b[addrAt:]).String()
	}
	if len(b) >= size {
		l.etherType, l.rest, l.whole = binary.BigEndian.Uint16(b[typeAt:]), b[size:], true
	}
}

// lengthAt reads the length of an address.
func lengthAt(b []byte, at, size int) int {
	if len(b) < at+size {
		return 0
	}
	n := 0
	for _, c := range b[at : at+size] {
		n = n<<8 | int(c)
	}
	return n
}

func (l *link) readTags() {
	for slices.Contains(tagTypes, l.etherType) {
		if len(l.rest) < vlanTag {
			l.whole = false
			return
		}
		l.vlans = append(l.vlans, int(binary.BigEndian.Uint16(l.rest)&0x0fff))
		l.etherType, l.rest = binary.BigEndian.Uint16(l.rest[2:]), l.rest[vlanTag:]
	}
}

// readSNAP reads the EtherType of a frame in the form of IEEE 802.2 (RFC 1042).
func (l *link) readSNAP() {
	if l.etherType < minEtherType && len(l.rest) >= llcSNAP && string(l.rest[:6]) == "\xaa\xaa\x03\x00\x00\x00" {
		l.etherType, l.rest = binary.BigEndian.Uint16(l.rest[6:]), l.rest[llcSNAP:]
	}
}
