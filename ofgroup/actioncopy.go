package ofgroup

import (
	"encoding/binary"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// A move (NXAST_REG_MOVE): header, then number of bits, first bit of source and of
// destination, fields. A copy_field has the numbers at 4 and the fields at 12, behind two
// bytes of padding.
const (
	moveLen       = 24
	offMoveBits   = 10
	offMoveFields = 16

	offCopyBits   = 4
	offCopyPad    = 10
	offCopyFields = 12
	offCopyEnd    = 20
	copyNumbers   = 6 // three of 16 bits
)

// Copy writes what is in one field, or part of a field, into another of as many bits. It
// is copy_field in OpenFlow 1.5 and Open vSwitch's move in 1.3, and prints as a move.
func Copy(from, to Field) Action {
	if err := from.checkPart(128); err != nil {
		return faultyAction(err)
	}
	if err := to.checkPart(128); err != nil {
		return faultyAction(err)
	}
	switch set := to.info().set; {
	case set == setNever, set == readParts:
		return badAction(ErrField, "%v cannot be set", to)
	case from.partWidth() != to.partWidth():
		return badAction(ErrValue, "%d bits of %v for %v, which has %d bits", from.partWidth(), from, to, to.partWidth())
	}
	var b [moveLen]byte
	putActionHeader(b[:], openflow.ActionCopyField)
	binary.BigEndian.PutUint16(b[offCopyBits:], uint16(from.partWidth()))
	binary.BigEndian.PutUint16(b[offCopyBits+2:], uint16(from.first()))
	binary.BigEndian.PutUint16(b[offCopyBits+4:], uint16(to.first()))
	binary.BigEndian.PutUint32(b[offCopyFields:], uint32(from.info().oxm))
	binary.BigEndian.PutUint32(b[offCopyFields+4:], uint32(to.info().oxm))
	return actionWith(b[:], to.info().set == setInCT, false, 0)
}

// moveTo is the field that a move writes, nil if it is not known here.
func moveTo(a string) *fieldInfo {
	if len(a) != moveLen {
		return nil
	}
	return fieldByOXM(openflow.OXM(be32(a[offMoveFields+4:])))
}

// AsCopy is what the action copies and where to, if it is a Copy of known fields.
func (a Action) AsCopy() (from, to Field, ok bool) {
	enc := a.encoding()
	if _, known := copyText(enc); !known || be16(enc) != openflow.ActionCopyField {
		return 0, 0, false
	}
	n := int(be16(enc[offCopyBits:]))
	part := func(offFirst, offField int) Field {
		f, first := numberByOXM(openflow.OXM(be32(enc[offField:]))), int(be16(enc[offFirst:]))
		if n == f.info().partBits() {
			return f
		}
		return f.Bits(first, first+n-1)
	}
	return part(offCopyBits+2, offCopyFields), part(offCopyBits+4, offCopyFields+4), true
}

// copyText prints a copy_field.
func copyText(a string) (string, bool) {
	if len(a) != moveLen || !zeros(a[offCopyPad:offCopyFields]) || !zeros(a[offCopyEnd:]) {
		return "", false
	}
	return copyPartsText(a[offCopyBits:], a[offCopyFields:])
}

// moveText prints a move that has no form in OpenFlow 1.5 here.
func moveText(a string) (string, bool) {
	if len(a) != moveLen {
		return "", false
	}
	return copyPartsText(a[offMoveBits:], a[offMoveFields:])
}

func copyPartsText(numbers, fields string) (string, bool) {
	n, first, firstTo := int(be16(numbers)), int(be16(numbers[2:])), int(be16(numbers[4:]))
	from, ok := partText(openflow.OXM(be32(fields)), first, n)
	to, ok2 := partText(openflow.OXM(be32(fields[4:])), firstTo, n)
	return "move:" + from + "->" + to, ok && ok2
}
