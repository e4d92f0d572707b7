package ofgrouptest

import (
	"bytes"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// checkSetField reads a set_field action: an OXM header, a value, a mask where the
// header says so, and zeros up to the action's length.
func checkSetField(a []byte) ([]byte, verdict) {
	const body = actionHeader + 4
	h := openflow.OXM(be.Uint32(a[actionHeader:]))
	f, ok := fieldOf(h)
	size := f.header(h.HasMask()).Len()
	switch {
	case !ok || h.Len() == 0:
		return nil, badSetType
	case h.Len() != size:
		return nil, badSetLen
	case size > len(a)-body:
		return nil, badMatchLen
	}
	value := a[body : body+f.size]
	mask := a[body+f.size : body+size]
	if h.HasMask() && !within(value, mask) {
		return nil, badWildcards
	}
	if f.readOnly || !zero(a[body+size:]) || !f.holds(value) {
		return nil, badSetArgument
	}
	return f.stored(value, mask), accepted
}

// holds reports whether the value may be set.
func (f field) holds(value []byte) bool {
	if f.number == fieldVLANVID && be.Uint16(value)&vlanPresent == 0 {
		return false
	}
	return f.fits(value)
}

// fits reports whether the value has no bit beyond the field's own.
func (f field) fits(value []byte) bool {
	for i, c := range value {
		used := f.bits - 8*(len(value)-1-i) // bits of this byte that are the field's
		if used < 8 && c>>max(used, 0) != 0 {
			return false
		}
	}
	return true
}

func within(value, mask []byte) bool {
	for i := range value {
		if value[i]&^mask[i] != 0 {
			return false
		}
	}
	return true
}

// stored is the action as it is described back: by the field's standard number,
// without a mask of all ones, and with no more padding than needed.
func (f field) stored(value, mask []byte) []byte {
	if bytes.Count(mask, []byte{0xff}) == len(mask) {
		mask = nil
	}
	n := (actionHeader + 4 + len(value) + len(mask) + 7) &^ 7
	a := make([]byte, 0, n)
	a = be.AppendUint16(a, openflow.ActionSetField)
	a = be.AppendUint16(a, uint16(n))
	a = be.AppendUint32(a, uint32(f.header(mask != nil)))
	a = append(a, value...)
	a = append(a, mask...)
	return a[:n]
}
