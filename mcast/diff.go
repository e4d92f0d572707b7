package mcast

// diff calls f for each member whose entry is not the same in both trees,
// with nil for the side where it is not a member, until f returns false.
// Subtrees that both versions share are not entered, so that the cost follows
// the number of changes.
func (t tree[M]) diff(old tree[M], f func(old, cur *entry[M]) bool) bool {
	return diffSlots(slot[M]{node: old.root}, slot[M]{node: t.root}, f)
}

// slot is what is in one place of a node: an entry, or a node, or nothing.
type slot[M comparable] struct {
	entry *entry[M]
	node  *node[M]
}

func (n *node[M]) slot(bit uint32) slot[M] {
	switch {
	case n.nodeMap&bit != 0:
		return slot[M]{node: n.nodes[index(n.nodeMap, bit)]}
	case n.entryMap&bit != 0:
		return slot[M]{entry: n.entries[index(n.entryMap, bit)]}
	default:
		return slot[M]{}
	}
}

func diffSlots[M comparable](a, b slot[M], f func(a, b *entry[M]) bool) bool {
	switch {
	case a == b:
		return true
	case a.node != nil && b.node != nil:
		return diffNodes(a.node, b.node, f)
	case a.node == nil && b.node == nil && a.entry != nil && b.entry != nil && a.entry.member == b.entry.member:
		return f(a.entry, b.entry)
	case b.entry != nil:
		return diffMixed(a, b.entry, f)
	case a.entry != nil:
		return diffMixed(b, a.entry, func(b, a *entry[M]) bool { return f(a, b) })
	default: // one of them is nothing at all
		return a.node.walk(func(e *entry[M]) bool { return f(e, nil) }) &&
			b.node.walk(func(e *entry[M]) bool { return f(nil, e) })
	}
}

// diffMixed compares whatever is in s with the single entry e, which f gets
// as its second argument.
func diffMixed[M comparable](s slot[M], e *entry[M], f func(s, e *entry[M]) bool) bool {
	met := false
	each := func(x *entry[M]) bool {
		if x.member != e.member {
			return f(x, nil)
		}
		met = true
		return x == e || f(x, e)
	}
	if s.entry != nil {
		if !each(s.entry) {
			return false
		}
	} else if !s.node.walk(each) {
		return false
	}
	return met || f(nil, e)
}

func diffNodes[M comparable](a, b *node[M], f func(a, b *entry[M]) bool) bool {
	used := a.entryMap | a.nodeMap | b.entryMap | b.nodeMap
	if used == 0 {
		return diffLists(a, b, f)
	}
	for ; used != 0; used &= used - 1 {
		bit := used & -used
		if !diffSlots(a.slot(bit), b.slot(bit), f) {
			return false
		}
	}
	return true
}

// diffLists compares two lists of members whose hashes are equal.
func diffLists[M comparable](a, b *node[M], f func(a, b *entry[M]) bool) bool {
	for _, e := range a.entries {
		var cur *entry[M]
		if i := b.indexOf(e.member); i >= 0 {
			cur = b.entries[i]
		}
		if cur != e && !f(e, cur) {
			return false
		}
	}
	for _, e := range b.entries {
		if a.indexOf(e.member) < 0 && !f(nil, e) {
			return false
		}
	}
	return true
}
