package ofgroup

import (
	"fmt"
	"net/netip"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// Condition is one thing that a Match asks of a packet: that a field, or a part of it,
// has a value. It is an immutable, comparable value; one that cannot be carries its fault
// into the Match. The zero Condition is always true.
type Condition struct {
	field       uint8 // number in the field table
	value, mask uint128
	fault       error
}

func badCondition(rule error, format string, args ...any) Condition {
	return Condition{fault: fault{rule, fmt.Sprintf(format, args...)}}
}

// Is asks that f, or the part of it that f names, has the value v:
//
//	Is(EthType, 0x0800)      Is(InPort, Port(5))      Is(Metadata.Bits(0, 7), 5)
//
// OpenFlow wants conditions on headers to say which header: on an IP field only together
// with EthType (see IsIPv4), on a TCP or UDP port only together with IPProto.
func Is[V FieldValue](f Field, v V) Condition {
	if err := f.checkMatch(); err != nil {
		return Condition{fault: err}
	}
	val, width, ok := valueOf(any(v), f.matchWidth())
	switch {
	case !ok:
		return badCondition(ErrValue, "%v for %v", v, f)
	case f == InPort && !Port(val.lo).usable():
		return badCondition(ErrValue, "port 0x%x, which cannot be", val.lo)
	case width != 0 && width != f.matchWidth(), val.bitLen() > f.matchWidth():
		return badCondition(ErrValue, "%v for %v, which has %d bits", v, f, f.matchWidth())
	}
	return Condition{field: uint8(f.number()), value: val.shl(f.first()), mask: ones(f.matchWidth()).shl(f.first())}
}

// IsMasked asks that those bits of f that are set in mask are as in v. Bits of v outside
// the mask do not matter.
func IsMasked[V FieldValue](f Field, v, mask V) Condition {
	c, m := Is(f, v), Is(f, mask)
	switch {
	case c.fault != nil:
		return c
	case m.fault != nil:
		return m
	}
	if m.value != c.mask && !f.maskable() {
		return badCondition(ErrField, "%v can only be matched whole", f)
	}
	c.value, c.mask = c.value.and(m.value), m.value
	return c
}

// Within asks that f, a whole field that holds an address of the prefix's family, lies in
// p. Bits of p behind its length do not matter; a length of 0 asks nothing.
func Within(f Field, p netip.Prefix) Condition {
	if err := f.check(); err != nil {
		return Condition{fault: err}
	}
	val, width, ok := addrValue(p.Addr())
	form := f.info().form
	if !ok || !p.IsValid() || f.part() || width != f.width() || form != formIPv4 && form != formIPv6 {
		return badCondition(ErrValue, "%v for %v", p, f)
	}
	mask := ones(width).xor(ones(width - p.Bits()))
	return Condition{field: uint8(f.number()), value: val.and(mask), mask: mask}
}

// IsIPv4 asks for IPv4 packets.
func IsIPv4() Condition { return Is(EthType, 0x0800) }

// IsIPv6 asks for IPv6 packets.
func IsIPv6() Condition { return Is(EthType, 0x86dd) }

// vlanPresent is the bit of VLANVID that says that there is a tag.
const vlanPresent = 0x1000

// IsUntagged asks for packets without a VLAN tag. One with a priority tag has one: see
// IsVLAN(0).
func IsUntagged() Condition { return Is(VLANVID, 0) }

// IsVLAN asks for packets whose outermost tag has this VLAN, 0 to 4095. VLAN 0 is that of
// priority tags, which say nothing of a VLAN.
func IsVLAN(vid uint16) Condition {
	if vid >= vlanPresent {
		return badCondition(ErrValue, "VLAN %d", vid)
	}
	return Is(VLANVID, vlanPresent|vid)
}

// checkMatch is check for a field that a flow or a selection method shall look at.
func (f Field) checkMatch() error {
	if err := f.check(); err != nil {
		return err
	}
	if f.part() && !f.maskable() {
		return fault{ErrField, f.info().name + " can only be matched whole"}
	}
	return nil
}

// maskable reports whether some bits of f can be looked at.
func (f Field) maskable() bool {
	switch f.info().set {
	case setParts, readParts, setInCT:
		return true
	default:
		return Field(f.number()) == VLANVID
	}
}

// inPortOXM is the field in which matches and packet-ins carry the port a packet came in
// by: 32 bits, where actions have InPort's 16.
var inPortOXM = openflow.NewOXM(openflow.ClassBasic, openflow.FieldInPort, 4)

// matchOXM is the header of a field in a match, and its number of bits.
func matchOXM(number int) (openflow.OXM, int) {
	switch Field(number) {
	case InPort:
		return inPortOXM, 32
	case TCPFlags: // the other one is not in OpenFlow 1.3
		return fieldTable[number].nxm, fieldTable[number].bits
	}
	return fieldTable[number].oxm, fieldTable[number].bits
}

// matchWidth is the number of bits that f names when it is matched.
func (f Field) matchWidth() int {
	if f == InPort {
		_, bits := matchOXM(f.number())
		return bits
	}
	return f.width()
}
