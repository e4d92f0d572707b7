package ofgrouptest

import (
	"cmp"
	"maps"
	"slices"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// flow is one flow as the switch keeps it. It is not changed once it is in a table.
type flow struct {
	table                         uint8
	priority                      uint16
	cookie                        uint64
	idle, hard, flags, importance uint16
	match                         match
	does                          instructions
}

// flowKey is what tells flows apart.
type flowKey struct {
	table    uint8
	priority uint16
	match    string
}

func (f *flow) key() flowKey { return flowKey{f.table, f.priority, f.match.key()} }

// flowTable holds the flows of all tables. It is not safe for concurrent use.
type flowTable struct {
	flows map[flowKey]*flow
	bytes int
	limit int
	users map[reference]int // flows that name a group or a meter
}

// reference is a group or a meter that an action names.
type reference struct {
	action uint16
	number uint32
}

func newFlowTable(limit int) flowTable {
	return flowTable{flows: make(map[flowKey]*flow), users: make(map[reference]int), limit: limit}
}

// flowOverhead is what a flow counts for beside its match and instructions.
const flowOverhead = 64

func (f *flow) size() int { return flowOverhead + len(f.match.key()) + len(f.does.bytes()) }

// put adds a flow in the place of one with the same key.
func (t *flowTable) put(f *flow) verdict {
	key := f.key()
	old := t.flows[key]
	grown := f.size()
	if old != nil {
		grown -= old.size()
	}
	if t.bytes+grown > t.limit {
		return tableFull
	}
	t.bytes += grown
	if old != nil {
		t.count(old, -1)
	}
	t.count(f, 1)
	t.flows[key] = f
	return accepted
}

func (t *flowTable) remove(f *flow) {
	delete(t.flows, f.key())
	t.bytes -= f.size()
	t.count(f, -1)
}

func (t *flowTable) count(f *flow, by int) {
	for _, r := range f.references() {
		if t.users[r] += by; t.users[r] == 0 {
			delete(t.users, r)
		}
	}
}

// references are the groups and meters that the flow names, each once.
func (f *flow) references() []reference {
	var all []reference
	for _, kind := range []int{applyActions, writeActions} {
		for a := range eachAction(f.does.actions(kind)) {
			t := be.Uint16(a)
			if t != openflow.ActionGroup && t != openflow.ActionMeter {
				continue
			}
			if r := (reference{t, be.Uint32(a[actionHeader:])}); !slices.Contains(all, r) {
				all = append(all, r)
			}
		}
	}
	return all
}

// using are the flows that name a group or a meter, in order.
func (t *flowTable) using(r reference) []*flow {
	if t.users[r] == 0 {
		return nil
	}
	return slices.DeleteFunc(t.inOrder(), func(f *flow) bool { return !slices.Contains(f.references(), r) })
}

// chosen are the flows that a modify or delete is about, in order.
func (t *flowTable) chosen(f flowMod) []*flow {
	strict := f.command == flowModifyStrict || f.command == flowDeleteStrict
	if strict && f.table != allTables {
		old := t.flows[f.flow.key()]
		if old == nil || !f.chooses(old, strict) {
			return nil
		}
		return []*flow{old}
	}
	return slices.DeleteFunc(t.inOrder(), func(old *flow) bool { return !f.chooses(old, strict) })
}

func (f flowMod) chooses(old *flow, strict bool) bool {
	switch {
	case f.table != allTables && f.table != old.table,
		(f.cookie^old.cookie)&f.cookieMask != 0,
		strict && (f.priority != old.priority || f.match.key() != old.match.key()),
		!strict && !f.match.covers(old.match):
		return false
	}
	if f.command == flowModify || f.command == flowModifyStrict {
		return true
	}
	return (f.outPort == anyWatch || old.names(openflow.ActionOutput, f.outPort)) &&
		(f.outGroup == anyWatch || old.names(openflow.ActionGroup, f.outGroup))
}

// names reports whether an action of this type names this port or group.
func (f *flow) names(action uint16, number uint32) bool {
	for _, kind := range []int{applyActions, writeActions} {
		for a := range eachAction(f.does.actions(kind)) {
			if be.Uint16(a) == action && be.Uint32(a[actionHeader:]) == number {
				return true
			}
		}
	}
	return false
}

// overlap reports whether a packet can be one of f and of another flow of its priority. The
// flow that f replaces is none.
func (t *flowTable) overlap(f flow) bool {
	key := f.key()
	for at, other := range t.flows {
		if at != key && other.table == f.table && other.priority == f.priority && other.match.overlaps(f.match) {
			return true
		}
	}
	return false
}

// inOrder are all flows by table, priority from the highest on, and match. The real switch
// has no order.
func (t *flowTable) inOrder() []*flow {
	return slices.SortedFunc(maps.Values(t.flows), func(a, b *flow) int {
		return cmp.Or(cmp.Compare(a.table, b.table), cmp.Compare(b.priority, a.priority),
			cmp.Compare(a.match.key(), b.match.key()))
	})
}
