package mroute

import (
	"fmt"
	"net/netip"
	"slices"
)

// Message is what the routing socket gives: an *Upcall or an *IGMP.
type Message interface{ message() }

func (*Upcall) message() {}
func (*IGMP) message()   {}

// UpcallKind is what the kernel wants (im_msgtype).
type UpcallKind uint8

// The upcalls of the kernel.
const (
	// NoCache: a packet came for a source and group without a route. The kernel holds it for some seconds.
	NoCache UpcallKind = 1
	// WrongVIF: a packet came at another VIF than the route's. At most one in 3 seconds and route.
	WrongVIF UpcallKind = 2
	// WholePkt: a packet went to the PIM register VIF; Upcall.Packet has it.
	WholePkt UpcallKind = 3
	// WrVIFWhole is WrongVIF with the packet.
	WrVIFWhole UpcallKind = 4
)

// String is the UAPI's name without IGMPMSG_.
func (k UpcallKind) String() string {
	switch k {
	case NoCache:
		return "NOCACHE"
	case WrongVIF:
		return "WRONGVIF"
	case WholePkt:
		return "WHOLEPKT"
	case WrVIFWhole:
		return "WRVIFWHOLE"
	default:
		return fmt.Sprintf("UpcallKind(%#02x)", uint8(k))
	}
}

// Upcall is a message of the kernel to its router (struct igmpmsg). It owns its memory.
type Upcall struct {
	Kind UpcallKind
	// VIF is where the packet came in, a registered one; with WholePkt it is the register VIF.
	VIF VIF
	SG
	// Packet is the whole IP packet of WholePkt and WrVIFWhole, nil otherwise.
	Packet []byte
}

// String is "NOCACHE (198.51.100.1, 233.252.0.1) at VIF 1".
func (u *Upcall) String() string { return fmt.Sprintf("%v %v at %v", u.Kind, u.SG, u.VIF) }

// IGMP is an IGMP packet that the kernel delivered on the same socket. It owns its memory.
type IGMP struct {
	Source, Destination netip.Addr
	// Payload is what follows the IP header and its options. Its checksum is not verified.
	Payload []byte
}

// Where struct igmpmsg has its fields. It is laid over an IP header, so that the addresses are where they always are.
const (
	headerLen  = 20
	offKind    = 8  // im_msgtype, the header's TTL
	offZero    = 9  // im_mbz, the header's protocol: no protocol is 0
	offVIF     = 10 // im_vif and im_vif_hi, the header's checksum
	offSource  = 12
	offGroup   = 16
	protoIGMP  = 2
	wordLength = 4
)

// ParseMessage reads what one read of the routing socket gave. registered says which VIF numbers exist. The error is
// ErrMalformed, or ErrNoVIF for an upcall that names none of them.
//
// Byte 11 is the upper half of the VIF number since Linux 5.10; before, it was a rest of the packet's checksum. So it
// counts only when the number it makes exists, whatever the kernel says of its version.
func ParseMessage(b []byte, registered func(VIF) bool) (Message, error) {
	if len(b) < headerLen || b[0]>>4 != 4 {
		return nil, ErrMalformed
	}
	switch b[offZero] {
	case 0:
		return parseUpcall(b, registered)
	case protoIGMP:
		return parseIGMP(b)
	}
	return nil, ErrMalformed
}

func parseUpcall(b []byte, registered func(VIF) bool) (Message, error) {
	u := &Upcall{Kind: UpcallKind(b[offKind]), SG: SG{Source: addrAt(b, offSource), Group: addrAt(b, offGroup)}}
	if u.Kind == 0 || !u.Group.IsMulticast() {
		return nil, ErrMalformed
	}
	low, wide := VIF(b[offVIF]), VIF(b[offVIF])|VIF(b[offVIF+1])<<8
	switch {
	case registered(wide):
		u.VIF = wide
	case registered(low):
		u.VIF = low
	default:
		return nil, ErrNoVIF
	}
	if u.Kind == WholePkt || u.Kind == WrVIFWhole {
		u.Packet = slices.Clone(b[headerLen:])
	}
	return u, nil
}

func parseIGMP(b []byte) (Message, error) {
	header := int(b[0]&0x0f) * wordLength
	if header < headerLen || header > len(b) {
		return nil, ErrMalformed
	}
	return &IGMP{
		Source:      addrAt(b, offSource),
		Destination: addrAt(b, offGroup),
		Payload:     slices.Clone(b[header:]),
	}, nil
}

func addrAt(b []byte, off int) netip.Addr { return netip.AddrFrom4([4]byte(b[off : off+4])) }
