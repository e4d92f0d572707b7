package ofgroup

import "github.com/ofmcast/ofmcast/internal/openflow"

// OpenFlow 1.3 has no set_field with a mask, so there Open vSwitch has a load
// (NXAST_REG_LOAD) for each run of bits: header, then where (first bit << 6 | bits - 1),
// field, value. In 1.5 it does not take them.
const (
	loadLen      = 24
	offLoadWhere = 10
	offLoadField = 12
	offLoadValue = 16

	maxLoadBits = maxPartBits
)

// load is a load, taken apart.
type load struct {
	field    Field
	first, n int
	value    uint128
}

// parseLoad takes a load apart that OpenFlow 1.5 could say in another way, too.
func parseLoad(a string) (load, bool) {
	if niciraSubtype(a) != openflow.NiciraRegLoad || len(a) != loadLen {
		return load{}, false
	}
	h, where := openflow.OXM(be32(a[offLoadField:])), int(be16(a[offLoadWhere:]))
	l := load{
		field: numberByOXM(h),
		first: where >> whereShift,
		n:     where&whereBits + 1,
		value: uint128FromBytes(a[offLoadValue:]),
	}
	ok := l.field != 0 && !h.HasMask() && l.first+l.n <= l.field.info().bits && l.value.bitLen() <= l.n
	return l, ok
}

// loadText prints a load as ovs-ofctl does.
func loadText(a string) (string, bool) {
	l, ok := parseLoad(a)
	if !ok {
		return "", false
	}
	part, ok := partText(l.field.info().nxm, l.first, l.n)
	return "load:" + l.value.hex() + "->" + part, ok
}
