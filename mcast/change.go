package mcast

import (
	"fmt"
	"iter"
	"slices"
)

// ChangeKind says what happened to a member.
type ChangeKind uint8

const (
	// Joined members are new.
	Joined ChangeKind = iota + 1
	// Left members are there no more. In an [Event] that is by a leave:
	// an immediate one, or one that nobody objected to in time.
	Left
	// Refiltered members want other sources than before.
	Refiltered
	// Expired members are there no more because they fell silent. Only an
	// [Event] says so: State.Changes says Left, however it came.
	Expired
	// Removed members are there no more because of RemoveMember or
	// RemoveOwner. Only an [Event] says so.
	Removed
)

// String is the kind in lower case.
func (k ChangeKind) String() string {
	switch k {
	case Joined:
		return "joined"
	case Left:
		return "left"
	case Refiltered:
		return "refiltered"
	case Expired:
		return "expired"
	case Removed:
		return "removed"
	default:
		return fmt.Sprintf("ChangeKind(%#02x)", uint8(k))
	}
}

// Change is what happened to one member between two states, or at one moment.
type Change struct {
	// Kind says what.
	Kind ChangeKind
	// Old is what the member wanted before; INCLUDE{} if it was none.
	Old Filter
	// New is what the member wants now; INCLUDE{} if it is none any more.
	New Filter
}

// Changes are the members that are not what they were in Prev, in order, those
// who left at the place that they had. Without a Prev all members Joined. A
// member that left and came back with the same filter has not changed. The
// cost follows the number of changes, not the number of members.
func (s State[M]) Changes() iter.Seq2[M, Change] {
	return func(yield func(M, Change) bool) {
		for _, d := range s.diff() {
			m, c := d.change()
			if !yield(m, c) {
				return
			}
		}
	}
}

// delta is a member on both sides; nil where it is not a member.
type delta[M comparable] struct{ old, cur *entry[M] }

func (s State[M]) diff() []delta[M] {
	var out []delta[M]
	s.cur.diff(s.prev, func(old, cur *entry[M]) bool {
		if d := (delta[M]{old, cur}); d.visible() {
			out = append(out, d)
		}
		return true
	})
	slices.SortFunc(out, func(a, b delta[M]) int { return s.env.compare(a.place(), b.place()) })
	return out
}

// same says that no sink could tell the two trees apart but by the order of a
// member that left and came back.
func (t tree[M]) same(old tree[M]) bool {
	return t.n == old.n && t.diff(old, func(old, cur *entry[M]) bool {
		return !delta[M]{old, cur}.visible()
	})
}

func (d delta[M]) visible() bool {
	return d.old == nil || d.cur == nil ||
		d.old.filter != d.cur.filter && !d.old.filter.Equal(*d.cur.filter)
}

func (d delta[M]) place() *entry[M] {
	if d.cur != nil {
		return d.cur
	}
	return d.old
}

func (d delta[M]) change() (M, Change) {
	switch {
	case d.old == nil:
		return d.cur.member, Change{Kind: Joined, New: *d.cur.filter}
	case d.cur == nil:
		return d.old.member, Change{Kind: Left, Old: *d.old.filter}
	default:
		return d.cur.member, Change{Kind: Refiltered, Old: *d.old.filter, New: *d.cur.filter}
	}
}
