package mcast

import (
	"hash/maphash"
	"math/bits"
	"slices"
)

// entry is what is published of one member of one group: immutable once a
// tree holds it, except for live, which only the cache follows, under its lock.
type entry[M comparable] struct {
	member M
	seq    uint64  // the order of joining
	filter *Filter // shared, never nil
	live   *record[M]
}

// tree is a persistent set of entries by member: a hash trie of 32 ways whose
// nodes are copied on the way to a change and shared otherwise. Its shape
// depends on the members alone, not on how they came, so that two versions
// can be compared by walking only where they differ (diff.go).
type tree[M comparable] struct {
	root *node[M]
	n    int
}

// node has, for each set bit of bitmap, one slot in the order of bits.
type node[M comparable] struct {
	bitmap uint32
	slots  []slot[M]
}

// slot is an entry, or a deeper node, or at the depth where the hash has no
// bits left a list of entries whose hashes are equal (a node with bitmap 0).
type slot[M comparable] struct {
	entry *entry[M]
	node  *node[M]
}

const (
	trieBits = 5
	hashBits = 64
)

// hasher gives members their place in the trie.
type hasher[M comparable] func(M) uint64

func newHasher[M comparable]() hasher[M] {
	seed := maphash.MakeSeed()
	return func(m M) uint64 { return maphash.Comparable(seed, m) }
}

func (n *node[M]) at(h uint64, shift uint) (bit uint32, i int) {
	bit = 1 << (h >> shift & (1<<trieBits - 1))
	return bit, bits.OnesCount32(n.bitmap & (bit - 1))
}

// get returns the entry of m, or nil.
func (t tree[M]) get(hash hasher[M], m M) *entry[M] {
	if t.root == nil {
		return nil
	}
	h, n := hash(m), t.root
	for shift := uint(0); shift < hashBits; shift += trieBits {
		bit, i := n.at(h, shift)
		if n.bitmap&bit == 0 {
			return nil
		}
		s := n.slots[i]
		if s.node == nil {
			if s.entry.member == m {
				return s.entry
			}
			return nil
		}
		n = s.node
	}
	if i := n.indexOf(m); i >= 0 {
		return n.slots[i].entry
	}
	return nil
}

// indexOf finds m in a list of equal hashes.
func (n *node[M]) indexOf(m M) int {
	return slices.IndexFunc(n.slots, func(s slot[M]) bool { return s.entry.member == m })
}

// set returns the tree with e in the place of its member's entry.
func (t tree[M]) set(hash hasher[M], e *entry[M]) tree[M] {
	if t.root == nil {
		t.root = &node[M]{}
	}
	root, added := t.root.set(hash, hash(e.member), 0, e)
	if added {
		t.n++
	}
	t.root = root
	return t
}

func (n *node[M]) set(hash hasher[M], h uint64, shift uint, e *entry[M]) (*node[M], bool) {
	if shift >= hashBits {
		if i := n.indexOf(e.member); i >= 0 {
			return n.with(i, slot[M]{entry: e}), false
		}
		return &node[M]{slots: append(slices.Clone(n.slots), slot[M]{entry: e})}, true
	}
	bit, i := n.at(h, shift)
	if n.bitmap&bit == 0 {
		return n.insert(bit, i, slot[M]{entry: e}), true
	}
	s := n.slots[i]
	switch {
	case s.node != nil:
		child, added := s.node.set(hash, h, shift+trieBits, e)
		return n.with(i, slot[M]{node: child}), added
	case s.entry.member == e.member:
		return n.with(i, slot[M]{entry: e}), false
	default: // two members share the bits so far: both go one deeper
		child := &node[M]{}
		child, _ = child.set(hash, hash(s.entry.member), shift+trieBits, s.entry)
		child, _ = child.set(hash, h, shift+trieBits, e)
		return n.with(i, slot[M]{node: child}), true
	}
}

// with is a copy with one slot replaced.
func (n *node[M]) with(i int, s slot[M]) *node[M] {
	c := &node[M]{bitmap: n.bitmap, slots: slices.Clone(n.slots)}
	c.slots[i] = s
	return c
}

// insert is a copy with one slot more.
func (n *node[M]) insert(bit uint32, i int, s slot[M]) *node[M] {
	slots := make([]slot[M], len(n.slots)+1)
	copy(slots, n.slots[:i])
	slots[i] = s
	copy(slots[i+1:], n.slots[i:])
	return &node[M]{bitmap: n.bitmap | bit, slots: slots}
}

// without is a copy with one slot less.
func (n *node[M]) without(bit uint32, i int) *node[M] {
	slots := make([]slot[M], len(n.slots)-1)
	copy(slots, n.slots[:i])
	copy(slots[i:], n.slots[i+1:])
	return &node[M]{bitmap: n.bitmap &^ bit, slots: slots}
}

// remove returns the tree without m.
func (t tree[M]) remove(hash hasher[M], m M) tree[M] {
	if t.get(hash, m) == nil {
		return t
	}
	t.n--
	if t.n == 0 {
		return tree[M]{}
	}
	t.root = t.root.remove(hash(m), 0, m)
	return t
}

// remove takes out m, which is there. A child that is left with one entry is
// replaced by it, which keeps the shape a matter of the members alone.
func (n *node[M]) remove(h uint64, shift uint, m M) *node[M] {
	if shift >= hashBits {
		return n.without(0, n.indexOf(m))
	}
	bit, i := n.at(h, shift)
	if n.slots[i].node == nil {
		return n.without(bit, i)
	}
	child := n.slots[i].node.remove(h, shift+trieBits, m)
	if len(child.slots) == 1 && child.slots[0].node == nil {
		return n.with(i, child.slots[0])
	}
	return n.with(i, slot[M]{node: child})
}

// walk calls f for every entry, in no order that means anything, until f
// returns false.
func (n *node[M]) walk(f func(*entry[M]) bool) bool {
	if n == nil {
		return true
	}
	for _, s := range n.slots {
		if s.node != nil {
			if !s.node.walk(f) {
				return false
			}
		} else if !f(s.entry) {
			return false
		}
	}
	return true
}
