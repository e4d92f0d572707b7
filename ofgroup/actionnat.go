package ofgroup

import (
	"encoding/binary"
	"net/netip"
	"strconv"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// NATKind is what a NAT changes.
type NATKind uint8

const (
	NATRestore     NATKind = 0 // what was decided when the connection was committed
	NATSource      NATKind = 1 // the source of a new connection
	NATDestination NATKind = 2 // the destination of a new connection
)

// NAT says how CT changes addresses. The zero value does to the packet what was decided
// for its connection, and nothing to a new one; it takes no ranges and flags.
type NAT struct {
	Kind NATKind

	// Min and Max are the first and the last address to choose from. Max may be absent
	// and is then Min; without Min the address stays as it is where that is possible.
	Min, Max netip.Addr

	// MinPort and MaxPort are the first and the last port to choose from, only beside Min.
	// A MaxPort of 0 is MinPort; a MinPort of 0 leaves the choice to the switch.
	MinPort, MaxPort uint16

	Persistent bool // the same address after the switch was started again
	Hash       bool // the port by a hash of the addresses; not with Random
	Random     bool // the port by chance
}

// A nat action, which is within ct only: padding, flags, which of the ranges are there,
// and those.
const (
	natHeaderLen = 16
	offNATPad    = 10
	offNATFlags  = 12
	offNATRanges = 14

	natPersistent = 1 << 2
	natHash       = 1 << 3
	natRandom     = 1 << 4

	natMin4    = 1 << 0
	natMax4    = 1 << 1
	natMin6    = 1 << 2
	natMax6    = 1 << 3
	natMinPort = 1 << 4
	natMaxPort = 1 << 5
)

// check tells what Open vSwitch would refuse.
func (n *NAT) check() error {
	refuse := func(why string) error { return fault{ErrAction, "nat " + why} }
	max, maxPort := n.Max.IsValid(), n.MaxPort != 0
	switch {
	case n.Kind > NATDestination:
		return refuse("of unknown kind")
	case n.Kind == NATRestore && *n != NAT{}:
		return refuse("that restores, with a range or a flag")
	case n.Hash && n.Random:
		return refuse("by hash and by chance")
	case n.Min.Zone() != "" || n.Max.Zone() != "":
		return refuse("to an address with a zone")
	case n.Min.IsValid() && n.Min.IsUnspecified(): // to Open vSwitch it is not there
		return refuse("to the address " + n.Min.String())
	case !n.Min.IsValid() && (max || n.MinPort != 0 || maxPort):
		return refuse("with half a range")
	case max && (n.Min.BitLen() != n.Max.BitLen() || n.Max.Less(n.Min)):
		return refuse("from " + n.Min.String() + " to " + n.Max.String())
	case maxPort && (n.MinPort == 0 || n.MaxPort < n.MinPort):
		return refuse("from port " + strconv.Itoa(int(n.MinPort)) + " to " + strconv.Itoa(int(n.MaxPort)))
	}
	return nil
}

// appendTo appends the encoding, nothing for nil.
func (n *NAT) appendTo(b []byte) ([]byte, error) {
	if n == nil {
		return b, nil
	}
	if err := n.check(); err != nil {
		return b, err
	}
	start := len(b)
	b = append(b, make([]byte, natHeaderLen)...)
	ranges := uint16(0)
	for i, a := range [...]netip.Addr{n.Min, n.Max} {
		switch {
		case !a.IsValid():
			continue
		case a.Is4():
			ranges |= natMin4 << i
		default:
			ranges |= natMin6 << i
		}
		b = append(b, a.AsSlice()...)
	}
	for i, p := range [...]uint16{n.MinPort, n.MaxPort} {
		if p != 0 {
			ranges |= natMinPort << i
			b = binary.BigEndian.AppendUint16(b, p)
		}
	}
	b = append(b, make([]byte, align(len(b)-start)-(len(b)-start))...)
	nat := b[start:]
	putNiciraHeader(nat, openflow.NiciraNAT)
	binary.BigEndian.PutUint16(nat[offNATFlags:], n.flags())
	binary.BigEndian.PutUint16(nat[offNATRanges:], ranges)
	return b, nil
}

func (n *NAT) flags() uint16 {
	flags := uint16(n.Kind)
	if n.Persistent {
		flags |= natPersistent
	}
	if n.Hash {
		flags |= natHash
	}
	if n.Random {
		flags |= natRandom
	}
	return flags
}

// parseNAT reads a nat action that could have been made here.
func parseNAT(a string) (NAT, bool) {
	if niciraSubtype(a) != openflow.NiciraNAT || len(a) < natHeaderLen {
		return NAT{}, false
	}
	flags, ranges := be16(a[offNATFlags:]), be16(a[offNATRanges:])
	n := NAT{
		Kind:       NATKind(flags & 3),
		Persistent: flags&natPersistent != 0,
		Hash:       flags&natHash != 0,
		Random:     flags&natRandom != 0,
	}
	r := natRanges{ranges, []byte(a[natHeaderLen:])}
	n.Min, n.Max = r.addr(natMin4, natMin6), r.addr(natMax4, natMax6)
	n.MinPort, n.MaxPort = r.port(natMinPort), r.port(natMaxPort)
	again, err := n.appendTo(nil)
	return n, err == nil && string(again) == a
}

// natRanges reads what stands behind the header of a nat: the ranges that are there, one
// after the other.
type natRanges struct {
	there uint16
	rest  []byte
}

// take is the next bytes, nil if the range is not there, or not whole.
func (r *natRanges) take(bit uint16, size int) []byte {
	if r.there&bit == 0 || len(r.rest) < size {
		return nil
	}
	v := r.rest[:size]
	r.rest = r.rest[size:]
	return v
}

func (r *natRanges) addr(bit4, bit6 uint16) netip.Addr {
	v := r.take(bit4, 4)
	if v == nil {
		v = r.take(bit6, 16)
	}
	a, _ := netip.AddrFromSlice(v)
	return a
}

func (r *natRanges) port(bit uint16) uint16 {
	if v := r.take(bit, 2); v != nil {
		return binary.BigEndian.Uint16(v)
	}
	return 0
}
