package ofgroup

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"strings"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// FieldValue is what a field can be set to: a number, an address, or bytes in network
// byte order. An address or bytes must be exactly as wide as the field or the part of
// it that is set, a number must be small enough for it.
type FieldValue interface {
	uint8 | uint16 | uint32 | uint64 | int | Port | ID | netip.Addr | [6]byte | [16]byte
}

// Set writes v into the field f, or into the part of it that f names. A field that
// the packet at hand does not have is silently left alone by the switch.
func Set[V FieldValue](f Field, v V) Action {
	if n, ok := number(any(v)); ok {
		if a, ok := setNumber(f, n); ok {
			return a
		}
	}
	if err := f.checkSet(); err != nil {
		return faultyAction(err)
	}
	val, width, ok := valueOf(any(v), f.width())
	if !ok {
		return badAction(ErrValue, "%v for %v", v, f)
	}
	if why := f.refuses(val, width); why != "" {
		return badAction(ErrValue, "%v for %v%s", v, f, why)
	}
	return setField(f, val)
}

// number is v, if it is a number.
func number(v any) (uint64, bool) {
	switch v := v.(type) {
	case uint8:
		return uint64(v), true
	case uint16:
		return uint64(v), true
	case uint32:
		return uint64(v), true
	case uint64:
		return v, true
	case int:
		return uint64(v), v >= 0
	case Port:
		return uint64(v), true
	case ID:
		return uint64(v), true
	}
	return 0, false
}

// setNumber is the usual Set: of a field without rules of its own, or of a part of one,
// whose value and mask are one number of 64 bits at most. It says false of all others, and
// of what is wrong.
func setNumber(f Field, n uint64) (Action, bool) {
	number, first, width := f.number(), f.first(), f.count()
	if number >= len(fieldTable) || fieldTable[number].set != setParts {
		return Action{}, false
	}
	h, bits := fieldTable[number].oxm, fieldTable[number].bits
	size, value := 8*h.Len(), n
	switch {
	case f == f.whole():
		width = bits
	case f>>fieldFaultShift == fieldFine && 0 < width && width < bits && first+width <= bits:
		h, value = h.Masked(), n<<first<<size|ones(width).lo<<first
		size *= 2
	default:
		return Action{}, false
	}
	if size > 64 || n>>width != 0 {
		return Action{}, false
	}
	return shortSet(h, value, size), true
}

// refuses tells why f cannot be set to a value, "" if it can. The value has a width in bits
// that f must have, or 0 if it only needs to be small enough.
func (f Field) refuses(val uint128, width int) string {
	switch {
	case width != 0 && width != f.width(), val.bitLen() > f.width():
		return fmt.Sprintf(", which has %d bits", f.width())
	case f == VLANVID && val.lo&vlanPresent == 0:
		return fmt.Sprintf(" without the bit 0x%x that says there is a VLAN", vlanPresent)
	case f == IPTOS && val.lo&3 != 0:
		return ", whose two lowest bits are those of nw_ecn"
	case f == ARPOp && val.lo > 0xff:
		return ", of which Open vSwitch looks at 8 bits"
	}
	return ""
}

// valueOf is v as a number for a field of room bits, and the width in bits that it must
// find there: 0 if any will do.
func valueOf(v any, room int) (val uint128, width int, ok bool) {
	if n, ok := number(v); ok {
		return uint128{lo: n}, 0, true
	}
	switch v := v.(type) {
	case netip.Addr:
		if room == 32 {
			v = v.Unmap() // an IPv4 address in IPv6 clothes is still one
		}
		return addrValue(v)
	case [6]byte:
		hi, lo := binary.BigEndian.Uint16(v[:]), binary.BigEndian.Uint32(v[2:])
		return uint128{lo: uint64(hi)<<32 | uint64(lo)}, 48, true
	case [16]byte:
		return uint128FromBytes(v[:]), 128, true
	}
	return uint128{}, 0, false
}

func addrValue(a netip.Addr) (uint128, int, bool) {
	switch {
	case a.Is4():
		b := a.As4()
		return uint128{lo: uint64(binary.BigEndian.Uint32(b[:]))}, 32, true
	case a.Is6() && a.Zone() == "":
		b := a.As16()
		return uint128FromBytes(b[:]), 128, true
	default: // no address, or one whose zone would be lost
		return uint128{}, 0, false
	}
}

// A set_field action is its header, the field's header, the value, the mask if part of
// the field is set, and zeros to a multiple of 8.
const (
	offSetFieldOXM   = 4
	offSetFieldValue = 8
)

// setField is the action that writes a value that is known to fit.
func setField(f Field, val uint128) Action {
	info := f.info()
	h, size, body := info.oxm, 8*info.oxm.Len(), val.lo<<f.first()
	if f.part() {
		h, size, body = h.Masked(), 2*size, body<<size|f.mask().lo
	}
	if size > 64 || info.set == setInCT {
		return longSetField(f, val)
	}
	return shortSet(h, body, size)
}

// shortSet is the set_field with this value and mask, which are one number of size bits, 64
// at most.
func shortSet(h openflow.OXM, body uint64, size int) Action {
	return Action{
		first:  openflow.ActionSetField<<48 | (offSetFieldValue+8)<<32 | uint64(h),
		second: body << (64 - size),
	}
}

// longSetField is setField for any length.
func longSetField(f Field, val uint128) Action {
	h := f.info().oxm
	n := h.Len()
	var buf [48]byte // the longest: 128 bits with a mask
	value := buf[offSetFieldValue : offSetFieldValue+n]
	val.shl(f.first()).put(value)
	end := offSetFieldValue + n
	if f.part() {
		h = h.Masked()
		f.mask().put(buf[end : end+n])
		end += n
	}
	b := buf[:align(end)]
	putActionHeader(b, openflow.ActionSetField)
	binary.BigEndian.PutUint32(b[offSetFieldOXM:], uint32(h))
	return actionWith(b, f.info().set == setInCT, false, 0)
}

// align rounds up to a multiple of 8.
func align(n int) int { return (n + 7) &^ 7 }

// setFieldParts is a set_field of a known field whose lengths agree and whose padding is
// empty. The mask is empty if all of the field is set.
func setFieldParts(a string) (f Field, value, mask string, ok bool) {
	if len(a) < offSetFieldValue || be16(a) != openflow.ActionSetField {
		return 0, "", "", false
	}
	h := openflow.OXM(be32(a[offSetFieldOXM:]))
	f = numberByOXM(h)
	end := offSetFieldValue + h.Len()
	if f == 0 || h.Unmasked() != f.info().oxm || align(end) != len(a) || !zeros(a[end:]) {
		return 0, "", "", false
	}
	body := a[offSetFieldValue:end]
	return f, body[:h.ValueLen()], body[h.ValueLen():], true
}

// AsSet is the field, or the part of one, that the action writes, and what it writes
// there: a number in network byte order, in as many bytes as the whole field has. ok is
// false if the action is no Set, or one of bits that do not touch.
func (a Action) AsSet() (f Field, value []byte, ok bool) {
	f, v, m, ok := setFieldParts(a.encoding())
	if !ok || m == "" {
		return f, []byte(v), ok
	}
	first, n, ok := uint128FromBytes(m).oneRun()
	if !ok || first+n > f.info().bits {
		return 0, nil, false
	}
	value = make([]byte, len(v))
	uint128FromBytes(v).shr(first).put(value)
	return f.Bits(first, first+n-1), value, true
}

// setFieldText prints a set_field.
func setFieldText(a string) (string, bool) {
	f, value, mask, ok := setFieldParts(a)
	if !ok {
		return "", false
	}
	info := f.info()
	if mask == "" {
		return "set_field:" + info.form.text(value) + "->" + info.name, true
	}
	v, m := uint128FromBytes(value), uint128FromBytes(mask)
	first, n, one := m.oneRun()
	masked := info.form.maskText(mask)
	switch {
	case v.and(m.not()) != uint128{}:
		return "", false // no one takes it
	case one && (info.set == setWhole || info.form == formIPv6 && isLikeLength(masked)):
		// ovs-ofctl has masks only for fields that matches mask, and takes the digits that
		// begin one for the length of a prefix.
		part, ok := partText(info.nxm, first, n)
		return "load:" + v.shr(first).hex() + "->" + part, ok
	}
	return "set_field:" + info.form.maskedText(value) + "/" + masked + "->" + info.name, true
}

// isLikeLength reports whether the mask of an IPv6 address begins with a digit and is no length.
func isLikeLength(mask string) bool {
	return mask[0] >= '0' && mask[0] <= '9' && strings.Contains(mask, ":")
}
