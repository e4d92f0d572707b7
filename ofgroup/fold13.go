package ofgroup

import (
	"encoding/binary"
	"strings"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// actionsFrom13 turns actions of OpenFlow 1.3 into the form in which a Bucket holds them,
// that of 1.5, where that gives the same bytes when it is sent in 1.3 again; other loads
// and moves stay as they are. An action that 1.3 does not have is refused.
func actionsFrom13(actions string) (string, error) {
	if err := checkActions(actions); err != nil {
		return "", err
	}
	var folded []byte // stays nil while all is as it was
	for i := 0; i < len(actions); {
		n, _ := actionLen(actions[i:])
		a := actions[i : i+n]
		if differs13(a) {
			return "", errNot13
		}
		enc, used := fold(actions[i:])
		if used != 0 && folded == nil {
			folded = append(make([]byte, 0, len(actions)), actions[:i]...)
		}
		switch {
		case used != 0:
			folded = append(folded, enc...)
			n = used
		case folded != nil:
			folded = append(folded, a...)
		}
		i += n
	}
	if folded == nil {
		return actions, nil
	}
	return string(folded), nil
}

// fold turns the loads, or the move, that s starts with into one action of 1.5. used is
// how many bytes of s it stands for, 0 if s must stay as it is.
func fold(s string) (enc []byte, used int) {
	switch {
	case isNicira(s, niciraLoad):
		enc, used = foldLoads(s)
	case isNicira(s, niciraMove):
		enc, used = foldMove(s), moveLen
	}
	if enc == nil || string(appendActions13(nil, string(enc))) != s[:used] {
		return nil, 0
	}
	return enc, used
}

// The headers of loads and moves, up to their subtype.
const (
	niciraLoad = "\xff\xff\x00\x18\x00\x00\x23\x20\x00\x07"
	niciraMove = "\xff\xff\x00\x18\x00\x00\x23\x20\x00\x06"
)

func isNicira(s, header string) bool { return strings.HasPrefix(s, header) }

// foldLoads gathers loads into ascending parts of one field.
func foldLoads(s string) (enc []byte, used int) {
	f := fieldByOXM(openflow.OXM(be32(s[offLoadField:])))
	if f == nil {
		return nil, 0
	}
	var value, mask uint128
	next := 0
	for isNicira(s[used:], niciraLoad) && openflow.OXM(be32(s[used+offLoadField:])) == f.nxm {
		where := int(be16(s[used+offLoadWhere:]))
		first, n := where>>6, where&0x3f+1
		v := uint128FromBytes(s[used+offLoadValue : used+loadLen])
		if first < next || first+n > f.bits || v.bitLen() > n {
			break
		}
		value, mask = value.or(v.shl(first)), mask.or(ones(n).shl(first))
		next = first + n + 1 // bits that touch would be one load
		if n == maxLoadBits {
			next--
		}
		used += loadLen
	}
	if used == 0 || mask == ones(f.bits) { // a load of all: in 1.5 a set_field without mask
		return nil, 0
	}
	return encodeMasked(f, value, mask), used
}

func encodeMasked(f *fieldInfo, value, mask uint128) []byte {
	n := f.oxm.Len()
	b := make([]byte, align(offSetFieldValue+2*n))
	putActionHeader(b, openflow.ActionSetField)
	binary.BigEndian.PutUint32(b[offSetFieldOXM:], uint32(f.oxm.Masked()))
	value.put(b[offSetFieldValue : offSetFieldValue+n])
	mask.put(b[offSetFieldValue+n : offSetFieldValue+2*n])
	return b
}

func foldMove(s string) []byte {
	from := fieldByOXM(openflow.OXM(be32(s[offMoveFields:])))
	to := fieldByOXM(openflow.OXM(be32(s[offMoveFields+4:])))
	if from == nil || to == nil {
		return nil
	}
	b := make([]byte, moveLen)
	putActionHeader(b, openflow.ActionCopyField)
	copy(b[offCopyBits:], s[offMoveBits:offMoveBits+moveNumbers])
	binary.BigEndian.PutUint32(b[offCopyFields:], uint32(from.oxm))
	binary.BigEndian.PutUint32(b[offCopyFields+4:], uint32(to.oxm))
	return b
}
