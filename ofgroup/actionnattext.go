package ofgroup

import (
	"net/netip"
	"strconv"
)

// text is the NAT as it stands in ovs-ofctl's ct.
func (n *NAT) text() string {
	if n == nil || n.Kind == NATRestore {
		return "nat"
	}
	word := "src"
	if n.Kind == NATDestination {
		word = "dst"
	}
	if n.Min.IsValid() {
		word += "=" + n.rangeText()
	}
	w := words{word}
	w.when(n.Persistent, "persistent")
	w.when(n.Hash, "hash")
	w.when(n.Random, "random")
	return "nat(" + w.String() + ")"
}

func (n *NAT) rangeText() string {
	addr := func(a netip.Addr) string {
		if a.Is6() && n.MinPort != 0 {
			return "[" + a.String() + "]"
		}
		return a.String()
	}
	s := addr(n.Min)
	if n.Max.IsValid() {
		s += "-" + addr(n.Max)
	}
	if n.MinPort != 0 {
		s += ":" + strconv.Itoa(int(n.MinPort))
	}
	if n.MaxPort != 0 {
		s += "-" + strconv.Itoa(int(n.MaxPort))
	}
	return s
}
