package ofgroup

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// ErrCycle says that groups send packets to each other in a circle; see CycleError.
var ErrCycle = errors.New("groups refer to each other in a circle")

// CycleError names the groups of a circle. It matches ErrCycle. A switch takes such groups,
// and drops every packet that enters one of them.
type CycleError struct {
	IDs []ID // each refers to the next, and the last to the first
}

func (e *CycleError) Error() string {
	var path []string
	for _, id := range e.IDs {
		path = append(path, id.String())
	}
	return fmt.Sprintf("%v: %s", ErrCycle, strings.Join(append(path, e.IDs[0].String()), " to "))
}

// Is reports whether target is ErrCycle.
func (e *CycleError) Is(target error) bool { return target == ErrCycle }

// cycleIn is a circle of references among the groups, or nil.
func cycleIn(groups map[ID]Group) error {
	s := cycleSearch{groups: groups, done: make(map[ID]bool)}
	for _, id := range slices.Sorted(maps.Keys(groups)) {
		if s.visit(id) {
			return &CycleError{IDs: s.path}
		}
	}
	return nil
}

type cycleSearch struct {
	groups map[ID]Group
	done   map[ID]bool
	path   []ID // that is being followed; the circle, once one is found
}

func (s *cycleSearch) visit(id ID) (found bool) {
	if i := slices.Index(s.path, id); i >= 0 {
		s.path = s.path[i:]
		return true
	}
	if s.done[id] {
		return false
	}
	s.done[id] = true
	s.path = append(s.path, id)
	for to := range s.groups[id].references {
		if _, ours := s.groups[to]; ours && s.visit(to) {
			return true
		}
	}
	s.path = s.path[:len(s.path)-1]
	return false
}

// deletions is an order in which groups come before those that they refer to, and for each
// the positions of those that refer to it. Where groups refer to each other in a circle one
// of them comes first.
func deletions(groups map[ID]Group) (order []ID, needs [][]int) {
	for _, wave := range slices.Backward(waves(groups)) {
		order = append(order, wave...)
	}
	at := make(map[ID]int, len(order))
	for i, id := range order {
		at[id] = i
	}
	needs = make([][]int, len(order))
	for i, id := range order {
		for to := range groups[id].references {
			if k, deleted := at[to]; deleted && k > i {
				needs[k] = append(needs[k], i)
			}
		}
	}
	return order, needs
}
