package ofgroup

import "github.com/ofmcast/ofmcast/internal/openflow"

// Loads and moves that were decoded from OpenFlow 1.3 and had to stay as they were, to be
// sent in 1.3 again to the same bytes, are no actions in 1.5: Open vSwitch refuses them
// (OFPBAC_BAD_EXP_TYPE). Each is a set_field or a copy_field there.

// in15 is b with actions that OpenFlow 1.5 has, if there are some that mean the same.
func (b Bucket) in15() (Bucket, bool) {
	if b.has&hasOnly13 == 0 {
		return b, true
	}
	actions, ok := appendActions15(nil, b.actions, 0)
	if !ok {
		return b, false
	}
	b.has &^= hasOnly13
	b.setActions(string(actions))
	return b, true
}

// groupIn15 is g with all buckets as in15, or the position of the one that cannot be.
func (g Group) groupIn15() (Group, int) {
	if g.has&hasOnly13 == 0 {
		return g, NoBucket
	}
	bs := g.buckets.copied()
	for i := range bs {
		var ok bool
		if bs[i], ok = bs[i].in15(); !ok {
			return g, i
		}
	}
	g.setBuckets(bs)
	return g, NoBucket
}

// appendActions15 appends actions without loads and moves, if they can be said so.
func appendActions15(b []byte, actions string, depth int) ([]byte, bool) {
	for a := range eachAction(actions) {
		var ok bool
		if b, ok = appendAction15(b, a, depth); !ok {
			return b, false
		}
	}
	return b, true
}

func appendAction15(b []byte, a string, depth int) ([]byte, bool) {
	switch niciraSubtype(a) {
	case openflow.NiciraRegLoad:
		l, ok := parseLoad(a)
		if !ok || l.field == VLANVID { // no set_field leaves its bit 12 alone
			return b, false
		}
		set := setField(l.field.Bits(l.first, l.first+l.n-1), l.value)
		return append(b, set.encoding()...), true
	case openflow.NiciraRegMove:
		enc := foldMove(a)
		return append(b, enc...), enc != nil
	}
	list := inner(a, depth)
	start := len(b)
	b, ok := appendActions15(append(b, a[:len(a)-len(list)]...), list, depth+1)
	if ok && list != "" {
		putActionLen(b[start:])
	}
	return b, ok
}
