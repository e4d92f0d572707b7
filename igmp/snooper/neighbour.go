package snooper

import (
	"net/netip"
	"slices"
	"time"
)

// maxNeighbours bounds what is remembered of one port in one VLAN, so that forged addresses cost nothing: a router too
// many takes the place of the one that would end first.
const maxNeighbours = 8

// routerPort is a port in a VLAN with at least one router behind it.
type routerPort struct {
	port       Port
	n          int
	neighbours [maxNeighbours]neighbour
}

// neighbour is one sign of one router: the end of one router, or of its PIM alone, does not end another's.
type neighbour struct {
	from  netip.Addr
	by    sign
	until time.Time
}

func (rp *routerPort) known() []neighbour { return rp.neighbours[:rp.n] }

func (rp *routerPort) empty() bool { return rp.n == 0 }

// refresh lets the newest message decide: a shorter time than before holds as well.
func (rp *routerPort) refresh(from netip.Addr, by sign, until time.Time) {
	i := slices.IndexFunc(rp.known(), func(n neighbour) bool { return n.from == from && n.by == by })
	if i < 0 && rp.n < maxNeighbours {
		i = rp.n
		rp.n++
	}
	if i < 0 {
		i = rp.first()
	}
	rp.neighbours[i] = neighbour{from: from, by: by, until: until}
}

// first is the index of the neighbour that ends first; there is one.
func (rp *routerPort) first() int {
	first := 0
	for i, n := range rp.known() {
		if n.until.Before(rp.neighbours[first].until) {
			first = i
		}
	}
	return first
}

func (rp *routerPort) earliest() time.Time { return rp.neighbours[rp.first()].until }

// drop forgets the neighbours that match.
func (rp *routerPort) drop(match func(*neighbour) bool) {
	kept := 0
	for i := range rp.known() {
		if n := rp.neighbours[i]; !match(&n) {
			rp.neighbours[kept] = n
			kept++
		}
	}
	rp.n = kept
}
