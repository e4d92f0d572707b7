package mcast

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"
)

// State is one group as it was at one moment. It is an immutable value: keep
// it, copy it, read it from any number of goroutines (contract O4).
type State[M comparable] struct {
	group   Group
	cur     tree[M]
	prev    tree[M]
	hasPrev bool
	env     *env[M]
}

// env is what all trees of a cache share.
type env[M comparable] struct {
	hash  hasher[M]
	order func(a, b M) int // nil: by joining alone
}

func (v *env[M]) compare(a, b *entry[M]) int {
	if v.order != nil {
		if c := v.order(a.member, b.member); c != 0 {
			return c
		}
	}
	return cmp.Compare(a.seq, b.seq)
}

// Group is the group.
func (s State[M]) Group() Group { return s.group }

// Len is the number of members. A group without any is to be taken away.
func (s State[M]) Len() int { return s.cur.n }

// Has says whether m is a member. It costs O(log n).
func (s State[M]) Has(m M) bool { return s.cur.n > 0 && s.cur.get(s.env.hash, m) != nil }

// FilterOf is what m wants, and whether it is a member. It costs O(log n).
func (s State[M]) FilterOf(m M) (Filter, bool) {
	if s.cur.n == 0 {
		return Filter{}, false
	}
	e := s.cur.get(s.env.hash, m)
	if e == nil {
		return Filter{}, false
	}
	return *e.filter, true
}

// Members are the members in order (contract O1). Starting to range over them
// costs O(n log n).
func (s State[M]) Members() iter.Seq[M] {
	return func(yield func(M) bool) {
		for m := range s.All() {
			if !yield(m) {
				return
			}
		}
	}
}

// All is Members with what each of them wants.
func (s State[M]) All() iter.Seq2[M, Filter] {
	return func(yield func(M, Filter) bool) {
		for _, e := range s.sorted() {
			if !yield(e.member, *e.filter) {
				return
			}
		}
	}
}

// Filter is what the members together want: what to join upstream, RFC 4605
// section 4.1. It costs O(n).
func (s State[M]) Filter() Filter {
	return Merge(func(yield func(Filter) bool) {
		s.cur.root.walk(func(e *entry[M]) bool { return yield(*e.filter) })
	})
}

// Prev is the state that this sink took with its last success, and whether
// there was one since the sink was added or resynced. Prev of what Prev
// returned, and of what Lookup and Groups return, is false.
func (s State[M]) Prev() (State[M], bool) {
	if !s.hasPrev {
		return State[M]{group: s.group, env: s.env}, false
	}
	return State[M]{group: s.group, cur: s.prev, env: s.env}, true
}

// String is for people: the group and its members with their filters.
func (s State[M]) String() string {
	var b strings.Builder
	b.WriteString(s.group.String())
	for m, f := range s.All() {
		fmt.Fprintf(&b, " %v:%v", m, f)
	}
	return b.String()
}

func (s State[M]) sorted() []*entry[M] {
	out := make([]*entry[M], 0, s.cur.n)
	s.cur.root.walk(func(e *entry[M]) bool {
		out = append(out, e)
		return true
	})
	slices.SortFunc(out, func(a, b *entry[M]) int { return s.env.compare(a, b) })
	return out
}
