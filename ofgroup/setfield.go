package ofgroup

import (
	"encoding/binary"
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
func Set[V FieldValue](f Field, v V) (a Action) {
	if err := f.checkSet(); err != nil {
		return faultyAction(err)
	}
	val, width, ok := valueOf(any(v), f.width())
	switch {
	case !ok:
		return badAction(ErrValue, "%v for %v", v, f)
	case width != 0 && width != f.width(), val.bitLen() > f.width():
		return badAction(ErrValue, "%v for %v, which has %d bits", v, f, f.width())
	case f == VLANVID && val.lo&vlanPresent == 0:
		return badAction(ErrValue, "%v for %v without the bit 0x%x that says there is a VLAN", v, f, vlanPresent)
	case f == IPTOS && val.lo&3 != 0:
		return badAction(ErrValue, "%v for %v, whose two lowest bits are those of nw_ecn", v, f)
	case f == ARPOp && val.lo > 0xff:
		return badAction(ErrValue, "%v for %v, of which Open vSwitch looks at 8 bits", v, f)
	}
	a.setField(f, val)
	return a
}

// valueOf is v as a number for a field of room bits, and the width in bits that it must
// find there: 0 if any will do.
func valueOf(v any, room int) (val uint128, width int, ok bool) {
	switch v := v.(type) {
	case uint8:
		return uint128{lo: uint64(v)}, 0, true
	case uint16:
		return uint128{lo: uint64(v)}, 0, true
	case uint32:
		return uint128{lo: uint64(v)}, 0, true
	case uint64:
		return uint128{lo: v}, 0, true
	case int:
		return uint128{lo: uint64(v)}, 0, v >= 0
	case Port:
		return uint128{lo: uint64(v)}, 0, true
	case ID:
		return uint128{lo: uint64(v)}, 0, true
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

// setField makes a the action that writes a value that is known to fit. (It writes into its
// caller's result: copying an Action takes as long as making one.)
func (a *Action) setField(f Field, val uint128) {
	info := f.info()
	h, n := info.oxm, info.oxm.Len()
	body := val.lo << f.first()
	if f.part() {
		h, n, body = h.Masked(), 2*n, body<<(8*n)|f.mask().lo
	}
	if n <= 8 { // value and mask are one number, as those of nearly all fields
		const length = offSetFieldValue + 8
		a.n = length
		binary.BigEndian.PutUint64(a.short[:], openflow.ActionSetField<<48|length<<32|uint64(h))
		binary.BigEndian.PutUint64(a.short[offSetFieldValue:], body<<(64-8*n))
	} else {
		*a = longSetField(f, val)
	}
	a.inCT = info.set == setInCT
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
	return actionOf(b)
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
