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
	seq    uint32  // the order of joining, see group.renumber
	joined int32   // when it began, in seconds of the clock
	filter *Filter // shared, never nil
	live   *record[M]
}

// tree is a persistent set of entries by member: a hash trie of 32 ways whose
// nodes are copied on the way to a change and shared otherwise. Its shape
// depends on the members alone, not on how they came, so that two versions
// can be compared by walking only where they differ (diff.go).
//
// A change bears the number of its edit. What was made in the same edit is
// changed in place: nobody else can have seen it, because a new edit begins
// when a version is handed out (group.snapshot). Edit 0 always copies.
type tree[M comparable] struct {
	root *node[M]
	n    int
}

// node has, for each set bit of entryMap and nodeMap, an entry or a deeper
// node, both in the order of bits. At the depth where the hash has no bits
// left it has no maps: it lists entries whose hashes are equal.
type node[M comparable] struct {
	entryMap, nodeMap      uint32
	entriesEdit, nodesEdit uint32 // in which the lists were made
	entries                []*entry[M]
	nodes                  []*node[M]
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

// bitAt is the bit of a hash at a depth.
func bitAt(h uint64, shift uint) uint32 { return 1 << (h >> shift & (1<<trieBits - 1)) }

// index is where the thing of a bit is among those of a map.
func index(bitmap, bit uint32) int { return bits.OnesCount32(bitmap & (bit - 1)) }

// get returns the entry of m, or nil.
func (t tree[M]) get(hash hasher[M], m M) *entry[M] {
	n := t.root
	if n == nil {
		return nil
	}
	h := hash(m)
	for shift := uint(0); shift < hashBits; shift += trieBits {
		bit := bitAt(h, shift)
		if n.nodeMap&bit != 0 {
			n = n.nodes[index(n.nodeMap, bit)]
			continue
		}
		if n.entryMap&bit != 0 {
			if e := n.entries[index(n.entryMap, bit)]; e.member == m {
				return e
			}
		}
		return nil
	}
	if i := n.indexOf(m); i >= 0 {
		return n.entries[i]
	}
	return nil
}

// indexOf finds m in a list of equal hashes.
func (n *node[M]) indexOf(m M) int {
	return slices.IndexFunc(n.entries, func(e *entry[M]) bool { return e.member == m })
}

// set returns the tree with e in the place of its member's entry.
func (t tree[M]) set(hash hasher[M], e *entry[M], edit uint32) tree[M] {
	root, added := t.root, false
	if root == nil {
		root = &node[M]{}
	}
	root, added = root.set(hash, hash(e.member), 0, e, edit)
	if added {
		t.n++
	}
	t.root = root
	return t
}

func (n *node[M]) set(hash hasher[M], h uint64, shift uint, e *entry[M], edit uint32) (*node[M], bool) {
	n = n.own(edit)
	if shift >= hashBits {
		i := n.indexOf(e.member)
		if i >= 0 {
			n.putEntry(i, e, edit)
		} else {
			n.insertEntry(0, len(n.entries), e, edit)
		}
		return n, i < 0
	}
	bit := bitAt(h, shift)
	switch i := index(n.entryMap, bit); {
	case n.nodeMap&bit != 0:
		j := index(n.nodeMap, bit)
		child, added := n.nodes[j].set(hash, h, shift+trieBits, e, edit)
		n.putNode(j, child, edit)
		return n, added
	case n.entryMap&bit == 0:
		n.insertEntry(bit, i, e, edit)
	case n.entries[i].member == e.member:
		n.putEntry(i, e, edit)
		return n, false
	default: // two members share the bits so far: both go one deeper
		other, child := n.entries[i], &node[M]{}
		child, _ = child.set(hash, hash(other.member), shift+trieBits, other, edit)
		child, _ = child.set(hash, h, shift+trieBits, e, edit)
		n.removeEntry(bit, i, edit)
		n.nodeMap |= bit
		n.nodes, n.nodesEdit = inserted(n.nodes, index(n.nodeMap, bit), child), edit
	}
	return n, true
}

// remove returns the tree without m.
func (t tree[M]) remove(hash hasher[M], m M, edit uint32) tree[M] {
	if t.get(hash, m) == nil {
		return t
	}
	t.n--
	if t.n == 0 {
		return tree[M]{}
	}
	t.root = t.root.remove(hash(m), 0, m, edit)
	return t
}

// remove takes out m, which is there. A child that is left with one entry is
// replaced by it, which keeps the shape a matter of the members alone.
func (n *node[M]) remove(h uint64, shift uint, m M, edit uint32) *node[M] {
	n = n.own(edit)
	if shift >= hashBits {
		n.removeEntry(0, n.indexOf(m), edit)
		return n
	}
	bit := bitAt(h, shift)
	if n.entryMap&bit != 0 {
		n.removeEntry(bit, index(n.entryMap, bit), edit)
		return n
	}
	j := index(n.nodeMap, bit)
	child := n.nodes[j].remove(h, shift+trieBits, m, edit)
	if len(child.nodes) > 0 || len(child.entries) > 1 {
		n.putNode(j, child, edit)
		return n
	}
	n.nodeMap &^= bit
	n.nodes, n.nodesEdit = without(n.nodes, j), edit
	n.insertEntry(bit, index(n.entryMap, bit), child.entries[0], edit)
	return n
}

// own is a node that may be changed in this edit: n itself, or a copy that
// still shares its lists. Each change of a node makes one of its lists anew,
// so that a node made in this edit has a list that says so.
func (n *node[M]) own(edit uint32) *node[M] {
	if edit != 0 && (n.entriesEdit == edit || n.nodesEdit == edit) {
		return n
	}
	c := *n
	return &c
}

func (n *node[M]) putEntry(i int, e *entry[M], edit uint32) {
	if edit == 0 || n.entriesEdit != edit {
		n.entries, n.entriesEdit = slices.Clone(n.entries), edit
	}
	n.entries[i] = e
}

func (n *node[M]) putNode(i int, child *node[M], edit uint32) {
	if edit == 0 || n.nodesEdit != edit {
		n.nodes, n.nodesEdit = slices.Clone(n.nodes), edit
	}
	n.nodes[i] = child
}

func (n *node[M]) insertEntry(bit uint32, i int, e *entry[M], edit uint32) {
	n.entryMap |= bit
	n.entries, n.entriesEdit = inserted(n.entries, i, e), edit
}

func (n *node[M]) removeEntry(bit uint32, i int, edit uint32) {
	n.entryMap &^= bit
	n.entries, n.entriesEdit = without(n.entries, i), edit
}

// inserted is a copy with one thing more.
func inserted[T any](list []T, i int, x T) []T {
	out := make([]T, len(list)+1)
	copy(out, list[:i])
	out[i] = x
	copy(out[i+1:], list[i:])
	return out
}

// without is a copy with one thing less.
func without[T any](list []T, i int) []T {
	if len(list) == 1 {
		return nil
	}
	out := make([]T, len(list)-1)
	copy(out, list[:i])
	copy(out[i:], list[i+1:])
	return out
}

// walk calls f for every entry, in no order that means anything, until f
// returns false.
func (n *node[M]) walk(f func(*entry[M]) bool) bool {
	if n == nil {
		return true
	}
	for _, e := range n.entries {
		if !f(e) {
			return false
		}
	}
	for _, child := range n.nodes {
		if !child.walk(f) {
			return false
		}
	}
	return true
}
