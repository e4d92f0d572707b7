package ofgrouptest

import (
	"maps"
	"slices"
	"time"
)

// groupTable is what the switch keeps. It is not safe for concurrent use.
type groupTable struct {
	groups map[uint32]*swGroup
	bytes  int // of all buckets, as described
	limit  int
}

type swGroup struct {
	kind    uint8
	buckets []bucket
	props   []byte
	since   time.Time // when it was added
}

func newGroupTable(limit int) groupTable {
	return groupTable{groups: make(map[uint32]*swGroup), limit: limit}
}

// apply obeys one GROUP_MOD or changes nothing.
func (t *groupTable) apply(m groupMod) verdict {
	old, have := t.groups[m.id]
	switch m.command {
	case cmdAdd, cmdAddOrMod:
		if m.id > maxGroupID {
			return invalidGroup
		}
		if have && m.command == cmdAdd {
			return groupExists
		}
		return t.put(m, old)
	case cmdDelete:
		t.remove(m.id)
		return accepted
	}
	if !have {
		return unknownGroup
	}
	switch m.command {
	case cmdModify:
		return t.put(m, old)
	case cmdInsert:
		return t.insert(old, m)
	default:
		return t.take(old, m.at)
	}
}

// put replaces the whole group, its type too: the switch takes a change of type
// without a word.
func (t *groupTable) put(m groupMod, old *swGroup) verdict {
	g := &swGroup{kind: m.kind, buckets: m.buckets, props: m.props, since: time.Now()}
	if old != nil {
		g.since = old.since
	}
	grown := g.size() - old.size()
	if t.bytes+grown > t.limit {
		return outOfGroups
	}
	t.bytes += grown
	t.groups[m.id] = g
	return accepted
}

// remove deletes one group, or all. Deleting an absent group is no error, and "any" names
// none.
func (t *groupTable) remove(id uint32) {
	if id == allGroups {
		t.bytes = 0
		clear(t.groups)
		return
	}
	t.bytes -= t.groups[id].size()
	delete(t.groups, id)
}

// insert puts buckets after the one named, or at an end.
func (t *groupTable) insert(g *swGroup, m groupMod) verdict {
	at := len(g.buckets)
	switch m.at {
	case bucketFirst:
		at = 0
	case bucketLast:
	default:
		i := g.index(m.at)
		if i < 0 {
			return unknownBucket
		}
		at = i + 1
	}
	grown := 0
	for _, b := range m.buckets {
		if g.index(b.id) >= 0 {
			return bucketExists
		}
		grown += len(b.describe(nil, g.kind))
	}
	if t.bytes+grown > t.limit {
		return outOfBuckets
	}
	t.bytes += grown
	g.buckets = slices.Insert(g.buckets, at, m.buckets...)
	return accepted
}

// take removes one bucket or all. An end of an empty group is no error.
func (t *groupTable) take(g *swGroup, at uint32) verdict {
	from, to := 0, len(g.buckets)
	switch {
	case at == bucketAll || to == 0 && at >= bucketFirst:
	case at == bucketFirst:
		to = 1
	case at == bucketLast:
		from = to - 1
	default:
		if from = g.index(at); from < 0 {
			return unknownBucket
		}
		to = from + 1
	}
	before := g.size()
	g.buckets = slices.Delete(g.buckets, from, to)
	t.bytes += g.size() - before
	return accepted
}

func (g *swGroup) index(id uint32) int {
	return slices.IndexFunc(g.buckets, func(b bucket) bool { return b.id == id })
}

// size is what the group counts for in the table's limit; an absent one, nothing.
func (g *swGroup) size() int {
	if g == nil {
		return 0
	}
	return len(g.describe(nil, 0))
}

// ids are the groups' numbers in ascending order. The real switch has no order; a
// double that has one makes readable failures.
func (t *groupTable) ids() []uint32 { return slices.Sorted(maps.Keys(t.groups)) }
