package ofgroup

import (
	"encoding/binary"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// Two actions of OpenFlow 1.5 have another form in 1.3. A set_field with a mask becomes
// loads, one for each run of bits in the mask, from the lowest on; copy_field becomes a
// move. All others are the same bytes, but for those that have such actions within, and for
// those that 1.3 does not have.

// masked is a set_field with a mask, taken apart.
type masked struct {
	field       *fieldInfo
	value, mask uint128
}

// differs13 reports whether an action has another form in 1.3, or none. That of actions
// within is asked down to maxNesting.
func differs13(action string, depth int) bool {
	switch be16(action) {
	case openflow.ActionSetField:
		return openflow.OXM(be32(action[offSetFieldOXM:])).HasMask()
	case openflow.ActionCopyField, openflow.ActionMeter:
		return true
	case openflow.ActionNicira:
		return anyDiffers13(inner(action, depth), depth+1)
	}
	return false
}

// anyDiffers13 is differs13 for a list of actions.
func anyDiffers13(actions string, depth int) bool {
	for a := range eachAction(actions) {
		if differs13(a, depth) {
			return true
		}
	}
	return false
}

// inner is the list of actions within a ct or a clone, empty for other actions, for what is
// no list, and from maxNesting on.
func inner(action string, depth int) string {
	start := 0
	switch niciraSubtype(action) {
	case openflow.NiciraCT:
		start = offCTActions
	case openflow.NiciraClone:
		start = offCloneActions
	}
	if start == 0 || len(action) <= start || depth >= maxNesting || checkActions(action[start:]) != nil {
		return ""
	}
	return action[start:]
}

// actionsLen13 is the length in 1.3 of a list of actions. One that 1.3 does not have
// counts as it is.
func actionsLen13(actions string, depth int) int {
	n := len(actions)
	for a := range eachAction(actions) {
		if !differs13(a, depth) {
			continue
		}
		if list := inner(a, depth); list != "" {
			n += actionsLen13(list, depth+1) - len(list)
		} else if m, ok := parseMasked(a); ok {
			n += m.loads()*loadLen - len(a)
		}
	}
	return n
}

// appendActions13 appends actions in their form in 1.3; see checkActions13.
func appendActions13(b []byte, actions string, depth int) []byte {
	for a := range eachAction(actions) {
		if differs13(a, depth) {
			b = appendAction13(b, a, depth)
		} else {
			b = append(b, a...)
		}
	}
	return b
}

func appendAction13(b []byte, a string, depth int) []byte {
	if list := inner(a, depth); list != "" {
		start := len(b)
		b = appendActions13(append(b, a[:len(a)-len(list)]...), list, depth+1)
		putActionLen(b[start:])
		return b
	}
	if m, ok := parseMasked(a); ok {
		return m.appendLoads(b)
	}
	if from, to, ok := parseCopy(a); ok {
		var move [moveLen]byte
		putNiciraHeader(move[:], openflow.NiciraRegMove)
		copy(move[offMoveBits:], a[offCopyBits:offCopyBits+copyNumbers])
		binary.BigEndian.PutUint32(move[offMoveFields:], uint32(from.nxm))
		binary.BigEndian.PutUint32(move[offMoveFields+4:], uint32(to.nxm))
		return append(b, move[:]...)
	}
	return append(b, a...)
}

// checkActions13 reports whether 1.3 has a form for each action.
func checkActions13(actions string, depth int) bool {
	for a := range eachAction(actions) {
		if !differs13(a, depth) {
			continue
		}
		list := inner(a, depth)
		_, load := parseMasked(a)
		_, _, move := parseCopy(a)
		if !load && !move && (list == "" || !checkActions13(list, depth+1)) {
			return false
		}
	}
	return true
}

// parseMasked takes a set_field with a mask apart, if it is one of a known field and 1.3
// can say it.
func parseMasked(a string) (masked, bool) {
	if be16(a) != openflow.ActionSetField || !openflow.OXM(be32(a[offSetFieldOXM:])).HasMask() {
		return masked{}, false
	}
	f, value, mask, ok := setFieldParts(a)
	if !ok {
		return masked{}, false
	}
	m := masked{field: f.info(), value: uint128FromBytes(value), mask: uint128FromBytes(mask)}
	ok = m.value.and(m.mask.not()) == uint128{} && m.mask.bitLen() <= m.field.bits
	return m, ok && (f != VLANVID || m.loads() > 0)
}

// run finds the next run of bits in the mask, from bit start on, at most as long as one
// load can be. n is 0 if there is none.
func (m masked) run(start int) (first, n int) {
	end := m.field.partBits()
	if start >= end {
		return 0, 0
	}
	rest := m.mask.and(ones(end)).shr(start)
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
		binary.BigEndian.PutUint16(load[offLoadWhere:], uint16(first<<whereShift|(n-1)))
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
