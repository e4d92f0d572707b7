package ofgrouptest

import "github.com/ofmcast/ofmcast/internal/openflow"

// checkCopyField reads a copy_field action (section 7.2.6.8): how many bits, their
// places, then the OXM headers of both fields and zeros up to the action's length.
func checkCopyField(a []byte) verdict {
	const body = 12
	if len(a) < body {
		return badActionLen
	}
	bits, from, to := int(be.Uint16(a[4:])), int(be.Uint16(a[6:])), int(be.Uint16(a[8:]))
	source, rest, v := pullField(a[body:])
	if v != accepted {
		return v
	}
	target, rest, v := pullField(rest)
	switch {
	case v != accepted:
		return v
	case !zero(rest):
		return badActionArgument // Open vSwitch has an error of its own for this
	case !source.spans(from, bits), !target.spans(to, bits):
		return badSetLen
	case target.readOnly && target.number != fieldInPort: // set_field may not set that one
		return badSetArgument
	}
	return accepted
}

// pullField takes the field that an OXM header without value names from the front of b.
func pullField(b []byte) (field, []byte, verdict) {
	if len(b) < 4 {
		return field{}, nil, badMatchLen
	}
	h := openflow.OXM(be.Uint32(b))
	f, ok := fieldOf(h)
	switch {
	case !ok:
		return field{}, nil, badMatchField
	case h.HasMask():
		return field{}, nil, badMatchMask
	case h.Len() != f.size:
		return field{}, nil, badMatchField
	}
	return f, b[4:], accepted
}

// spans reports whether the field has these bits, of which there must be some.
func (f field) spans(first, n int) bool {
	bits := f.bits
	if width, ok := copiedBits[f.number]; ok {
		bits = width
	}
	return n > 0 && first+n <= bits
}

// copiedBits are the fields that have other bits to be copied than to be set: without
// the mark that there is a VLAN tag, or with bits that no value may have.
var copiedBits = map[uint32]int{fieldVLANVID: 12, basic | 21: 16, nxm1 | 105: 32}
