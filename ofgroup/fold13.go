package ofgroup

import (
	"encoding/binary"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// actionsFrom13 turns actions of OpenFlow 1.3 into the form in which a Bucket holds them,
// that of 1.5, where that gives the same bytes when it is sent in 1.3 again; other loads
// and moves stay as they are. An action that 1.3 does not have is refused.
func actionsFrom13(actions string, depth int) (string, error) {
	if err := checkActions(actions); err != nil {
		return "", err
	}
	var folded []byte // stays nil while all is as it was
	for i := 0; i < len(actions); {
		n, _ := actionLen(actions[i:])
		a := actions[i : i+n]
		enc, used, err := fold(actions[i:], a, depth)
		if err != nil {
			return "", err
		}
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

// fold turns the loads, or the one other action, that s starts with into one action of 1.5;
// first is the first of them. used is how many bytes of s it stands for, 0 if they must stay
// as they are.
func fold(s, first string, depth int) (enc []byte, used int, err error) {
	switch list := inner(first, depth); {
	case list != "":
		enc, err = foldInner(first, list, depth)
		used = len(first)
	case differs13(first, depth):
		err = errNot13
	case niciraSubtype(first) == openflow.NiciraRegLoad:
		enc, used = foldLoads(s)
	case niciraSubtype(first) == openflow.NiciraRegMove:
		enc, used = foldMove(first), len(first)
	}
	if enc == nil || err != nil || string(appendActions13(nil, string(enc), depth)) != s[:used] {
		return nil, 0, err
	}
	return enc, used, nil
}

// foldInner folds the actions within a ct or a clone. It is nil if they stay as they are.
func foldInner(a, list string, depth int) ([]byte, error) {
	within, err := actionsFrom13(list, depth+1)
	if err != nil || within == list {
		return nil, err
	}
	enc := append([]byte(a[:len(a)-len(list)]), within...)
	putActionLen(enc)
	return enc, nil
}

// foldLoads gathers loads into ascending parts of one field.
func foldLoads(s string) (enc []byte, used int) {
	var f Field
	var value, mask uint128
	for next := 0; len(s)-used >= loadLen; used += loadLen {
		l, ok := parseLoad(s[used : used+loadLen])
		if f == 0 {
			f = l.field
		}
		if !ok || l.field != f || l.first < next {
			break
		}
		value, mask = value.or(l.value.shl(l.first)), mask.or(ones(l.n).shl(l.first))
		next = l.first + l.n + 1 // bits that touch would be one load
		if l.n == maxLoadBits {
			next--
		}
	}
	// A load of all is a set_field without a mask in 1.5, which is one in 1.3, too; and no
	// set_field leaves the bit as it is that says whether there is a VLAN.
	if used == 0 || mask == ones(f.info().bits) || f == VLANVID {
		return nil, 0
	}
	return encodeMasked(f.info(), value, mask), used
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

func foldMove(a string) []byte {
	if len(a) != moveLen {
		return nil
	}
	from := fieldByOXM(openflow.OXM(be32(a[offMoveFields:])))
	to := fieldByOXM(openflow.OXM(be32(a[offMoveFields+4:])))
	if from == nil || to == nil {
		return nil
	}
	b := make([]byte, moveLen)
	putActionHeader(b, openflow.ActionCopyField)
	copy(b[offCopyBits:], a[offMoveBits:offMoveBits+copyNumbers])
	binary.BigEndian.PutUint32(b[offCopyFields:], uint32(from.oxm))
	binary.BigEndian.PutUint32(b[offCopyFields+4:], uint32(to.oxm))
	return b
}
