package ofgrouptest

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// condition asks for some bits of one field. The mask is as long as the value and never
// all zeros; the value has no bit outside it.
type condition struct {
	number      uint32 // of the field, the standard one
	value, mask []byte
}

// match is a flow's match in a form of its own: ascending by field, each field once, no
// field that is not asked for. So equal matches have equal keys.
type match []condition

// parseMatch reads an OFPMT_OXM match (section 7.2.3) and returns what follows its padding.
func parseMatch(b []byte) (match, []byte, verdict) {
	const header = 4
	if len(b) < header {
		return nil, nil, badMatchLen
	}
	kind, n := be.Uint16(b), int(be.Uint16(b[2:]))
	padded := (n + 7) &^ 7
	switch {
	case kind == 0: // OFPMT_STANDARD, of OpenFlow 1.1
		return nil, nil, badMatchLen
	case kind != 1:
		return nil, nil, badMatchType
	case n < header || padded > len(b):
		return nil, nil, badMatchLen
	}
	m, v := parseConditions(b[header:n])
	return m, b[padded:], v
}

// parseConditions reads fields in the order they came: what a field needs must stand
// before it.
func parseConditions(b []byte) (match, verdict) {
	var m match
	for len(b) > 0 {
		c, rest, v := parseCondition(b)
		if v != accepted {
			return nil, v
		}
		if !m.facts().meet(matchRules[c.number].needs) {
			return nil, badPrereq
		}
		for _, part := range c.parts() {
			if m.find(part.number) != nil {
				return nil, dupMatchField
			}
			if !zero(part.mask) {
				m = append(m, part)
			}
		}
		b = rest
	}
	slices.SortFunc(m, func(a, b condition) int { return cmp.Compare(a.number, b.number) })
	return m, accepted
}

func parseCondition(b []byte) (condition, []byte, verdict) {
	if len(b) < 4 {
		return condition{}, nil, badMatchLen
	}
	h := openflow.OXM(be.Uint32(b))
	f, ok := fieldOf(h)
	n := h.Len()
	switch {
	case len(b) < 4+n:
		return condition{}, nil, badMatchLen
	case !ok || n != f.header(h.HasMask()).Len():
		return condition{}, nil, badMatchField
	}
	value, mask := b[4:4+f.size], b[4+f.size:4+n]
	if v := checkCondition(f, value, mask); v != accepted {
		return condition{}, nil, v
	}
	c := condition{number: f.number, value: bytes.Clone(value), mask: f.fullMask()}
	if h.HasMask() {
		c.mask = both(c.mask, mask)
	}
	return c, b[4+n:], accepted
}

// checkCondition holds what a field alone must keep to. Without a mask it is empty.
func checkCondition(f field, value, mask []byte) verdict {
	switch {
	case len(mask) > 0 && !within(value, mask):
		return badWildcards
	case !f.fits(value), f.number == fieldInPort && !mappablePort(be.Uint32(value)):
		return badMatchValue
	case matchRules[f.number].exact && !exactMask(mask):
		return badMatchMask
	case f.number == fieldVLANTCI && len(mask) > 0 && !vlanDivides(be.Uint16(value), be.Uint16(mask)):
		return badMatchMask
	}
	return accepted
}

// exactMask says whether a mask is one for all bits, or for none.
func exactMask(mask []byte) bool {
	return bytes.Count(mask, []byte{0xff}) == len(mask) || zero(mask)
}

// parts cuts a condition on several fields at once into one for each: on registers taken
// together, and on a whole VLAN tag as Open vSwitch's older field has it.
func (c condition) parts() []condition {
	if c.number == fieldVLANTCI {
		return vlanParts(be.Uint16(c.value), be.Uint16(c.mask))
	}
	first, registers := registersOf(c.number)
	if registers == 1 {
		return []condition{c}
	}
	var all []condition
	for i := range registers {
		at := 4 * i
		all = append(all, condition{first + uint32(i), c.value[at : at+4], c.mask[at : at+4]})
	}
	return all
}

// vlanParts cuts a whole VLAN tag. No tag has no priority.
func vlanParts(value, mask uint16) []condition {
	const vid = vlanPresent<<1 - 1
	parts := []condition{{fieldVLANVID, be.AppendUint16(nil, value&vid), be.AppendUint16(nil, mask&vid)}}
	if mask&vlanPresent == 0 || value&vlanPresent != 0 {
		parts = append(parts, condition{fieldVLANPCP, []byte{byte(value >> 13)}, []byte{byte(mask >> 13)}})
	}
	return parts
}

// vlanDivides reports whether a whole VLAN tag can be said by its parts: the priority all or
// not at all, and only of a packet that has a tag.
func vlanDivides(value, mask uint16) bool {
	const priority = 0xe000
	switch mask & priority {
	case 0:
		return true
	case priority:
		return mask&vlanPresent != 0 && (value&vlanPresent != 0 || value&priority == 0)
	}
	return false
}

func (m match) find(number uint32) *condition {
	for i := range m {
		if m[i].number == number {
			return &m[i]
		}
	}
	return nil
}

// covers reports whether every packet of o is one of m: what a delete that is not strict
// goes by (section 6.4).
func (m match) covers(o match) bool {
	for _, want := range m {
		have := o.find(want.number)
		if have == nil || !within(want.mask, have.mask) || !equalUnder(want.mask, want.value, have.value) {
			return false
		}
	}
	return true
}

// overlaps reports whether a packet can be one of both.
func (m match) overlaps(o match) bool {
	for _, a := range m {
		b := o.find(a.number)
		if b != nil && !equalUnder(both(a.mask, b.mask), a.value, b.value) {
			return false
		}
	}
	return true
}

// key is the match as bytes, in OXM form, with a mask only where one is needed.
func (m match) key() string {
	var b []byte
	for _, c := range m {
		f := setFields[c.number]
		masked := !bytes.Equal(c.mask, f.fullMask())
		b = be.AppendUint32(b, uint32(f.header(masked)))
		b = append(b, c.value...)
		if masked {
			b = append(b, c.mask...)
		}
	}
	return string(b)
}

func equalUnder(mask, a, b []byte) bool {
	for i, m := range mask {
		if (a[i]^b[i])&m != 0 {
			return false
		}
	}
	return true
}

func both(a, b []byte) []byte {
	out := make([]byte, len(a))
	for i := range a {
		out[i] = a[i] & b[i]
	}
	return out
}
