package ofgroup

import (
	"encoding/binary"
	"fmt"
	"net/netip"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

var (
	errMatchHead  = fmt.Errorf("%w: match header", ErrMalformed)
	errMatchField = fmt.Errorf("%w: field of a match", ErrMalformed)
)

// ParseMatch decodes a match as it stands in a message, type and length first; bytes behind its
// length, such as its padding, do not matter. The result does not share memory with b.
//
// A match that a switch describes equals, by ==, the one that it was given, whatever order and form
// the switch has chosen: Open vSwitch in OpenFlow 1.5 asks for registers in pairs (XReg). They are
// registers of their own here, so a match made with XReg is not read back as such.
//
// The error is ErrField for a field that this package has no match for, else ErrMalformed.
func ParseMatch(b []byte) (Match, error) {
	const head = 4
	if len(b) < head || binary.BigEndian.Uint16(b) != matchTypeOXM {
		return Match{}, errMatchHead
	}
	n := int(binary.BigEndian.Uint16(b[2:]))
	if n < head || n > len(b) {
		return Match{}, errMatchHead
	}
	var m Match
	for rest := b[head:n]; len(rest) > 0; {
		if len(rest) < oxmHeaderLen {
			return Match{}, errMatchField
		}
		h := openflow.OXM(binary.BigEndian.Uint32(rest))
		end := oxmHeaderLen + h.Len()
		if end > len(rest) {
			return Match{}, errMatchField
		}
		conditions, err := parseConditions(h, rest[oxmHeaderLen:end])
		if err != nil {
			return Match{}, err
		}
		m, rest = m.With(conditions...), rest[end:]
	}
	if m.fault != nil { // a field that is there twice
		return Match{}, fmt.Errorf("%w: %w", ErrMalformed, m.fault)
	}
	return m, nil
}

// parseConditions reads one field of a match: h and what follows it.
func parseConditions(h openflow.OXM, body []byte) ([]Condition, error) {
	rank := matchRank(h)
	if rank < 0 {
		return nil, fault{ErrField, fmt.Sprintf("match field 0x%08x", uint32(h))}
	}
	f := matchOrder[rank]
	if h.HasMask() && (h != h.Unmasked().Masked() || !f.maskable()) {
		return nil, errMatchField
	}
	value, mask, bits := valueAndMask(h, body)
	if value.bitLen() > bits || mask.bitLen() > bits || value.and(mask) != value {
		return nil, errMatchField
	}
	if f >= xreg0 && f < xreg0+8 {
		first := reg0 + 2*(f-xreg0)
		return []Condition{
			{field: uint8(first), value: value.shr(32), mask: mask.shr(32)},
			{field: uint8(first + 1), value: value.and(ones(32)), mask: mask.and(ones(32))},
		}, nil
	}
	return []Condition{{field: uint8(f), value: value, mask: mask}}, nil
}

// AsPrefix returns what m asks of f, a field that holds an IPv4 or IPv6 address: the prefix that the
// address has to be in. Ok is false if m asks nothing of f, or for something that is no prefix.
func (m Match) AsPrefix(f Field) (p netip.Prefix, ok bool) {
	value, mask, ok := m.asks(f)
	if !ok {
		return p, false
	}
	if form := f.info().form; form != formIPv4 && form != formIPv6 {
		return netip.Prefix{}, false
	}
	width := f.width()
	hosts := mask.xor(ones(width)).bitLen()
	if mask.xor(ones(width)) != ones(hosts) {
		return netip.Prefix{}, false
	}
	b := make([]byte, width/8)
	value.put(b)
	addr, _ := netip.AddrFromSlice(b)
	return netip.PrefixFrom(addr, width-hosts), true
}

// AsUint returns the value that m asks f to have, a field of at most 64 bits. Ok is false if m asks
// nothing of f, or not for the whole of it.
func (m Match) AsUint(f Field) (v uint64, ok bool) {
	value, mask, ok := m.asks(f)
	if !ok || f.matchWidth() > 64 || mask != ones(f.matchWidth()) {
		return 0, false
	}
	return value.lo, true
}

// asks is the value of a whole field, and the mask, that m asks for, if it does.
func (m Match) asks(f Field) (value, mask uint128, ok bool) {
	if f.checkMatch() != nil || f.part() || m.fault != nil {
		return value, mask, false
	}
	want, _ := matchOXM(f.number())
	for rest := m.fields; rest != ""; {
		h, n := oxmHead(rest)
		if h.Unmasked() == want {
			value, mask, _ = valueAndMask(h, rest[oxmHeaderLen:n])
			return value, mask, true
		}
		rest = rest[n:]
	}
	return value, mask, false
}

// valueAndMask reads what follows the header of a field that has a place in a match. The number of
// bits is the field's.
func valueAndMask[B string | []byte](h openflow.OXM, body B) (value, mask uint128, bits int) {
	_, bits = matchOXM(matchOrder[matchRank(h)].number())
	value, mask = uint128FromBytes(body[:h.ValueLen()]), ones(bits)
	if h.HasMask() {
		mask = uint128FromBytes(body[h.ValueLen():])
	}
	return value, mask, bits
}
