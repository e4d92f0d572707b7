package ofgroup

import (
	"fmt"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// Open vSwitch's own actions name a part of a field by a word of 16 bits, of which 10 are
// the first bit and 6 the number of bits less one, beside the field's header. To them a
// VLANVID has 12 bits: they cannot reach the one that says that there is a VLAN.
const (
	maxPartBits = 64
	whereShift  = 6
	whereBits   = 1<<whereShift - 1
	vlanIDBits  = 12
)

// partWidth is the number of bits that f names to such an action.
func (f Field) partWidth() int {
	if f == VLANVID {
		return vlanIDBits
	}
	return f.width()
}

// partBits is the number of bits that f has to such an action.
func (f *fieldInfo) partBits() int {
	if f == &fieldTable[VLANVID] {
		return vlanIDBits
	}
	return f.bits
}

// checkPart is check for a field that such an action shall name, of at most most bits.
func (f Field) checkPart(most int) error {
	switch err := f.check(); {
	case err != nil:
		return err
	case f.first()+f.partWidth() > f.info().partBits():
		return fault{ErrField, "bit 12 of " + f.info().name + " can only be set"}
	case f.partWidth() > most:
		return fault{ErrField, fmt.Sprintf("%v has more than %d bits", f, most)}
	}
	return nil
}

// where is the word that names f to such an action.
func (f Field) where() (uint16, error) {
	if err := f.checkPart(maxPartBits); err != nil {
		return 0, err
	}
	return uint16(f.first()<<whereShift | (f.partWidth() - 1)), nil
}

// fieldWhere prints the part of a field that a header and such a word name.
func fieldWhere(header string, where uint16) (string, bool) {
	return partText(openflow.OXM(be32(header)), int(where>>whereShift), int(where&whereBits)+1)
}

// partText prints n bits of a field, from first on, as ovs-ofctl does in its own actions.
func partText(h openflow.OXM, first, n int) (string, bool) {
	f := fieldByOXM(h)
	switch {
	case f == nil, h.HasMask(), n == 0, first+n > f.partBits():
		return "", false
	case n == f.partBits():
		return f.long + "[]", true
	case n == 1:
		return fmt.Sprintf("%s[%d]", f.long, first), true
	default:
		return fmt.Sprintf("%s[%d..%d]", f.long, first, first+n-1), true
	}
}
