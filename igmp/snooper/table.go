package snooper

import (
	"cmp"
	"slices"
	"time"
)

// routerTable holds the router ports: the static ones of all VLANs and the learnt ones of each.
type routerTable struct {
	static     []Port                 // ascending
	learnt     map[VLAN][]*routerPort // ascending by port; no empty slices
	size       int                    // learnt, in all VLANs
	next       time.Time              // not after the earliest end; zero if none
	generation uint64
}

func (t *routerTable) init() { t.learnt = map[VLAN][]*routerPort{} }

// each merges two ascending lists. No port is in both: nothing is learnt on static ports.
func (t *routerTable) each(v VLAN, yield func(Port) bool) {
	static := t.static
	for _, rp := range t.learnt[v] {
		for len(static) > 0 && static[0] < rp.port {
			if !yield(static[0]) {
				return
			}
			static = static[1:]
		}
		if !yield(rp.port) {
			return
		}
	}
	for _, p := range static {
		if !yield(p) {
			return
		}
	}
}

func (t *routerTable) search(v VLAN, p Port) (int, bool) {
	return slices.BinarySearchFunc(t.learnt[v], p, func(rp *routerPort, p Port) int { return cmp.Compare(rp.port, p) })
}

func (t *routerTable) find(v VLAN, p Port) *routerPort {
	if i, found := t.search(v, p); found {
		return t.learnt[v][i]
	}
	return nil
}

func (t *routerTable) add(v VLAN, p Port) *routerPort {
	i, _ := t.search(v, p)
	rp := &routerPort{port: p}
	t.learnt[v] = slices.Insert(t.learnt[v], i, rp)
	t.size++
	t.generation++
	return rp
}

func (t *routerTable) remove(v VLAN, p Port) {
	t.removeIf(v, func(rp *routerPort) bool { return rp.port == p })
}

// addStatic is for a port that is not static yet, and that nothing is learnt on.
func (t *routerTable) addStatic(p Port) {
	i, _ := slices.BinarySearch(t.static, p)
	t.static = slices.Insert(t.static, i, p)
	t.generation++
}

// removePort takes a port out of every VLAN, static or learnt.
func (t *routerTable) removePort(p Port) {
	if i, found := slices.BinarySearch(t.static, p); found {
		t.static = slices.Delete(t.static, i, i+1)
		t.generation++
	}
	for v := range t.learnt {
		t.remove(v, p)
	}
}

// removeIf takes out the ports of a VLAN that match and returns how many.
func (t *routerTable) removeIf(v VLAN, match func(*routerPort) bool) int {
	before := t.learnt[v]
	after := slices.DeleteFunc(before, match)
	removed := len(before) - len(after)
	if removed == 0 {
		return 0
	}
	if len(after) == 0 {
		delete(t.learnt, v)
	} else {
		t.learnt[v] = after
	}
	t.size -= removed
	t.generation++
	if t.size == 0 {
		t.next = time.Time{}
	}
	return removed
}

// expire ends what is over at now, and finds the next time. It looks at the whole table, but no more often than the
// earliest end moves.
func (t *routerTable) expire(now time.Time) (ended uint64) {
	t.next = time.Time{}
	for v := range t.learnt {
		ended += uint64(t.removeIf(v, func(rp *routerPort) bool {
			rp.drop(func(n *neighbour) bool { return !n.until.After(now) })
			return rp.empty()
		}))
		for _, rp := range t.learnt[v] {
			t.dueAt(rp.earliest())
		}
	}
	return ended
}

// dueAt makes next not later than when.
func (t *routerTable) dueAt(when time.Time) {
	if t.next.IsZero() || when.Before(t.next) {
		t.next = when
	}
}
