package mcast

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// hashes are good, bad and useless ones: with the last all members meet at the
// bottom of the trie.
var hashes = map[string]hasher[int]{
	"good":    func(i int) uint64 { return uint64(i) * 0x9e3779b97f4a7c15 },
	"crowded": func(i int) uint64 { return uint64(i%3) << 60 },
	"useless": func(int) uint64 { return 42 },
}

// TestTreeIsAMap holds against a map, over random histories: lookups, sizes,
// walks, that old versions never change, and that a diff of any two versions
// finds just what differs.
func TestTreeIsAMap(t *testing.T) {
	for name, hash := range hashes {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { checkTree(t, hash) })
		})
	}
}

type version struct {
	tree tree[int]
	want map[int]*entry[int]
}

func checkTree(t *rapid.T, hash hasher[int]) {
	versions := []version{{want: map[int]*entry[int]{}}}
	for edit := range rapid.IntRange(1, 40).Draw(t, "edits") {
		v := versions[rapid.IntRange(0, len(versions)-1).Draw(t, "from")]
		next := version{tree: v.tree, want: maps.Clone(v.want)}
		for range rapid.IntRange(1, 8).Draw(t, "steps in one edit") {
			m := rapid.IntRange(0, 40).Draw(t, "member")
			if rapid.Bool().Draw(t, "remove") {
				next.tree = next.tree.remove(hash, m, uint32(edit))
				delete(next.want, m)
			} else {
				e := &entry[int]{member: m}
				next.tree = next.tree.set(hash, e, uint32(edit))
				next.want[m] = e
			}
		}
		versions = append(versions, next)
	}
	for _, v := range versions {
		checkVersion(t, hash, v)
	}
	a := versions[rapid.IntRange(0, len(versions)-1).Draw(t, "a")]
	b := versions[rapid.IntRange(0, len(versions)-1).Draw(t, "b")]
	checkDiff(t, a, b)
}

func checkVersion(t *rapid.T, hash hasher[int], v version) {
	got := map[int]*entry[int]{}
	v.tree.root.walk(func(e *entry[int]) bool {
		got[e.member] = e
		return true
	})
	require.Equal(t, len(v.want), v.tree.n)
	require.True(t, maps.Equal(v.want, got))
	for m := range 41 {
		require.Same(t, v.want[m], v.tree.get(hash, m))
	}
	// The same members make the same shape, however they came.
	var fresh tree[int]
	for _, m := range slices.Backward(slices.Sorted(maps.Keys(v.want))) {
		fresh = fresh.set(hash, v.want[m], 0)
	}
	require.Equal(t, shape(fresh.root), shape(v.tree.root))
}

// shape draws a trie without the order in lists of equal hashes.
func shape(n *node[int]) any {
	if n == nil {
		return nil
	}
	if n.entryMap|n.nodeMap == 0 {
		return len(n.entries)
	}
	out := []any{n.entryMap, n.nodeMap}
	for _, e := range n.entries {
		out = append(out, e.member)
	}
	for _, child := range n.nodes {
		out = append(out, shape(child))
	}
	return out
}

func checkDiff(t *rapid.T, a, b version) {
	seen := map[int]bool{}
	b.tree.diff(a.tree, func(old, cur *entry[int]) bool {
		m := delta[int]{old, cur}.place().member
		require.False(t, seen[m], "told twice")
		seen[m] = true
		require.Same(t, a.want[m], old)
		require.Same(t, b.want[m], cur)
		require.NotSame(t, old, cur)
		return true
	})
	for m := range 41 {
		require.Equal(t, a.want[m] != b.want[m], seen[m], "member %d", m)
	}
}

func TestDiffStopsWhenAsked(t *testing.T) {
	for name, hash := range hashes {
		var old, cur tree[int]
		for m := range 20 {
			old = old.set(hash, &entry[int]{member: m}, 0)
			cur = cur.set(hash, &entry[int]{member: m + 10}, 0)
		}
		for stop := 1; stop <= 5; stop++ {
			n := 0
			require.False(t, cur.diff(old, func(_, _ *entry[int]) bool { n++; return n < stop }), name)
			require.Equal(t, stop, n, name)
		}
	}
}

// When the numbers for edits run out, changes copy always.
func TestEditsEndAtZero(t *testing.T) {
	g := &group[int]{edit: 1<<32 - 1}
	_ = g.snapshot()
	require.Zero(t, g.nextEdit())
	_ = g.snapshot()
	require.Zero(t, g.nextEdit())
	g = &group[int]{edit: 7}
	require.Equal(t, uint32(7), g.nextEdit())
	_ = g.snapshot()
	require.Equal(t, uint32(8), g.nextEdit())
	require.Equal(t, uint32(8), g.nextEdit())
}

// TestDiffSkipsWhatIsShared protects the cost of Changes: one member more or
// less in a big group is found without a walk through the group.
func TestDiffSkipsWhatIsShared(t *testing.T) {
	hash := hashes["good"]
	var old tree[int]
	for m := range 100_000 {
		old = old.set(hash, &entry[int]{member: m}, 0)
	}
	cur := old.remove(hash, 500, 0)
	allocs := testing.AllocsPerRun(10, func() {
		n := 0
		cur.diff(old, func(old, cur *entry[int]) bool { n++; return true })
		require.Equal(t, 1, n)
	})
	require.LessOrEqual(t, allocs, 2.0)
}
