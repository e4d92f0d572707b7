package ofgroup

import (
	"encoding/binary"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// Two actions of OpenFlow 1.5 have another form in 1.3. A set_field with a mask becomes
// loads (NXAST_REG_LOAD), one for each run of bits in the mask, from the lowest on;
// copy_field becomes a move (NXAST_REG_MOVE). All others are the same bytes, but for
// those that 1.3 does not have.

// A load: header, then where (first bit << 6 | bits - 1), field, value.
const (
	loadLen      = 24
	offLoadWhere = 10
	offLoadField = 12
	offLoadValue = 16

	maxLoadBits = 64
)

// A move: header, then number of bits, first bit of source and of destination, fields.
// A copy_field has the numbers at 4 and the fields at 12, behind two bytes of padding.
const (
	moveLen       = 24
	offMoveBits   = 10
	offMoveFields = 16
	offCopyBits   = 4
	offCopyFields = 12
	moveNumbers   = 6 // three of 16 bits
)

// masked is a set_field with a mask, taken apart.
type masked struct {
	field       *fieldInfo
	value, mask uint128
}

// differs13 reports whether an action has another form in 1.3, or none.
func differs13(action string) bool {
	switch be16(action) {
	case openflow.ActionSetField:
		return openflow.OXM(be32(action[offSetFieldOXM:])).HasMask()
	case openflow.ActionCopyField, openflow.ActionMeter:
		return true
	}
	return false
}

// actionsLen13 is the length in 1.3 of a list of actions. One that 1.3 does not have
// counts as it is.
func actionsLen13(actions string) int {
	n := len(actions)
	for rest := actions; rest != ""; {
		k, _ := actionLen(rest)
		if differs13(rest[:k]) {
			if m, ok := parseMasked(rest[:k]); ok {
				n += m.loads()*loadLen - k
			}
		}
		rest = rest[k:]
	}
	return n
}

// appendActions13 appends actions in their form in 1.3; see checkActions13.
func appendActions13(b []byte, actions string) []byte {
	for rest := actions; rest != ""; {
		n, _ := actionLen(rest)
		if a := rest[:n]; differs13(a) {
			b = appendAction13(b, a)
		} else {
			b = append(b, a...)
		}
		rest = rest[n:]
	}
	return b
}

func appendAction13(b []byte, a string) []byte {
	if m, ok := parseMasked(a); ok {
		return m.appendLoads(b)
	}
	if from, to, ok := parseCopy(a); ok {
		var move [moveLen]byte
		putNiciraHeader(move[:], openflow.NiciraRegMove)
		copy(move[offMoveBits:], a[offCopyBits:offCopyBits+moveNumbers])
		binary.BigEndian.PutUint32(move[offMoveFields:], uint32(from.nxm))
		binary.BigEndian.PutUint32(move[offMoveFields+4:], uint32(to.nxm))
		return append(b, move[:]...)
	}
	return append(b, a...)
}

// checkActions13 reports whether 1.3 has a form for each action.
func checkActions13(actions string) bool {
	for rest := actions; rest != ""; {
		n, _ := actionLen(rest)
		if a := rest[:n]; differs13(a) {
			_, load := parseMasked(a)
			_, _, move := parseCopy(a)
			if !load && !move {
				return false
			}
		}
		rest = rest[n:]
	}
	return true
}

// parseMasked takes a set_field with a mask apart, if it is one of a known field.
func parseMasked(a string) (masked, bool) {
	if be16(a) != openflow.ActionSetField {
		return masked{}, false
	}
	h := openflow.OXM(be32(a[offSetFieldOXM:]))
	n := h.ValueLen()
	end := offSetFieldValue + 2*n
	f := fieldByOXM(h)
	if f == nil || h != f.oxm.Masked() || align(end) != len(a) {
		return masked{}, false
	}
	m := masked{
		field: f,
		value: uint128FromBytes(a[offSetFieldValue : offSetFieldValue+n]),
		mask:  uint128FromBytes(a[offSetFieldValue+n : end]),
	}
	return m, m.value.and(m.mask.not()) == uint128{} && m.mask.bitLen() <= f.bits
}

// run finds the next run of bits in the mask, from bit start on, at most as long as one
// load can be. n is 0 if there is none.
func (m masked) run(start int) (first, n int) {
	if start >= m.field.bits {
		return 0, 0
	}
	rest := m.mask.shr(start)
	if rest == (uint128{}) {
		return 0, 0
	}
	gap := rest.trailingZeros()
	return start + gap, min(rest.shr(gap).not().trailingZeros(), maxLoadBits)
}

// loads is the number of loads that m becomes.
func (m masked) loads() int {
	count := 0
	for first, n := m.run(0); n > 0; first, n = m.run(first + n) {
		count++
	}
	return count
}

func (m masked) appendLoads(b []byte) []byte {
	for first, n := m.run(0); n > 0; first, n = m.run(first + n) {
		var load [loadLen]byte
		putNiciraHeader(load[:], openflow.NiciraRegLoad)
		binary.BigEndian.PutUint16(load[offLoadWhere:], uint16(first<<6|(n-1)))
		binary.BigEndian.PutUint32(load[offLoadField:], uint32(m.field.nxm))
		m.value.shr(first).and(ones(n)).put(load[offLoadValue:])
		b = append(b, load[:]...)
	}
	return b
}

// parseCopy finds the fields of a copy_field, if both are known.
func parseCopy(a string) (from, to *fieldInfo, ok bool) {
	if be16(a) != openflow.ActionCopyField || len(a) != moveLen {
		return nil, nil, false
	}
	src, dst := openflow.OXM(be32(a[offCopyFields:])), openflow.OXM(be32(a[offCopyFields+4:]))
	from, to = fieldByOXM(src), fieldByOXM(dst)
	ok = from != nil && to != nil && from.oxm == src && to.oxm == dst
	return from, to, ok
}
