package ofgroup

import (
	"cmp"
	"iter"
	"slices"
)

// Lookup says what the table knows of an ID. The group is the one that the switch holds or
// is assumed to hold; if the state is Unknown it is the one that the switch last held as
// far as the table knows, which is what an owner wants to send again, and so it is for a
// group that is Absent because Adopt missed it. Without any, it is an empty group of type
// All. The buckets of a group with keys have their numbers in it. Messages under way do not
// count yet.
func (t *Table) Lookup(id ID) (Group, State) {
	owns := id <= MaxID && t.owns(id)
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.entries[id]
	switch {
	case e == nil && (t.ids.knownAbsent(id) || owns && t.unlisted(id)):
		return New(id, All), Absent
	case e == nil:
		return New(id, All), Unknown
	case !e.has:
		return New(id, All), t.now(e)
	}
	return e.group, t.now(e)
}

// Groups yields the table's groups in ascending order of their IDs, as Lookup has them,
// leaving out the IDs that have none. It is a picture of the moment of the call.
func (t *Table) Groups() iter.Seq2[Group, State] {
	type known struct {
		group Group
		state State
	}
	t.mu.Lock()
	var all []known
	for _, e := range t.entries {
		if e.has {
			all = append(all, known{e.group, t.now(e)})
		}
	}
	t.mu.Unlock()
	slices.SortFunc(all, func(a, b known) int { return cmp.Compare(a.group.id, b.group.id) })
	return func(yield func(Group, State) bool) {
		for _, k := range all {
			if !yield(k.group, k.state) {
				return
			}
		}
	}
}

// Forget gives up an ID without a word to the switch: the table keeps nothing of it, and
// it is free for others, though not known to be absent. It is for IDs whose delete nobody
// can confirm, and for groups left to somebody else. While calls for the ID are in
// progress it takes effect when they end, unless a new one comes before.
func (t *Table) Forget(id ID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.entries[id]
	if e == nil {
		return
	}
	e.forget = true
	t.dropUnused(id, e)
}
