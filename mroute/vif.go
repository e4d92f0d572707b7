package mroute

import (
	"fmt"
	"iter"
	"math"
	"math/bits"
)

// MaxVIFs is the size of the kernel's table of VIFs (MAXVIFS).
const MaxVIFs = 32

// VIF is a number in the kernel's table of virtual interfaces, 0 to MaxVIFs-1 (vifi_t). It is not an interface index.
type VIF uint16

// NoVIF is no VIF number: the kernel names an interface that has none (any more).
const NoVIF VIF = math.MaxUint16

// String is "VIF 3".
func (v VIF) String() string { return fmt.Sprintf("VIF %d", uint16(v)) }

// IfIndex is the index of a network interface, 1 or more, as net.Interface.Index has it. It is not a VIF number.
type IfIndex int

// String is "interface 3".
func (i IfIndex) String() string { return fmt.Sprintf("interface %d", int(i)) }

// Port is an interface by both its numbers. Where the kernel has no VIF for it, VIF is NoVIF; where the VIF has no
// interface any more, Index is 0.
type Port struct {
	VIF   VIF
	Index IfIndex
}

// check refuses what the kernel's int cannot hold, and what would mean "any interface".
func (i IfIndex) check() error {
	if i <= 0 || int64(i) > math.MaxInt32 {
		return ErrNoInterface
	}
	return nil
}

// vifSet is a set of VIF numbers, a bit each.
type vifSet uint32

func (s vifSet) has(v VIF) bool { return v < MaxVIFs && s&(1<<v) != 0 }

// each are the numbers in the set, in order.
func (s vifSet) each() iter.Seq[VIF] {
	return func(yield func(VIF) bool) {
		for ; s != 0; s &= s - 1 {
			if !yield(VIF(bits.TrailingZeros32(uint32(s)))) {
				return
			}
		}
	}
}

// vifTable is what a Socket knows of the kernel's table. A number whose VIF is gone stays taken while a route names it:
// the kernel keeps the routes, and would forward to the number's next owner.
type vifTable struct {
	index [MaxVIFs]IfIndex // 0: not registered
	users [MaxVIFs]int     // routes that name the number
}

// registered is the set of numbers that stand for an interface.
func (t *vifTable) registered() vifSet {
	var s vifSet
	for v, i := range t.index {
		if i != 0 {
			s |= 1 << v
		}
	}
	return s
}

// of finds the number of an interface.
func (t *vifTable) of(i IfIndex) (VIF, bool) {
	for v, have := range t.index {
		if have == i {
			return VIF(v), true
		}
	}
	return 0, false
}

// free says whether the number may be given out.
func (t *vifTable) free(v VIF) bool { return t.index[v] == 0 && t.users[v] == 0 }

// use counts a route's numbers in (by 1) or out (by -1).
func (t *vifTable) use(s vifSet, by int) {
	for v := range s.each() {
		t.users[v] += by
	}
}
