package mroute

import (
	"fmt"
	"strings"
)

// Route is an entry of the kernel's multicast forwarding cache (MFC): packets from a source to a group that arrive at
// In leave at each of Out. Without Out it is a negative entry: the packets are counted and dropped, without upcalls.
//
// A wildcard is for packets that no (S,G) is for, and that arrive at one of its VIFs. (*,G) takes those that arrive at In,
// and sends them to Out. (*,*) makes the tree of a bidirectional or IGMP proxy: what arrives at one of its Out goes to In,
// the upstream, and with a (*,G) of the same In beside it to the Out of that one too.
type Route struct {
	SG
	// In is the VIF where the packets have to arrive. Elsewhere they are dropped, and cause a WrongVIF upcall.
	In VIF
	// Out has each VIF once at most, and not In.
	Out []Hop
}

// String is "(198.51.100.1, 233.252.0.1) 0 > 1 2", with a hop's threshold as "2/16" where it is above 1.
func (r Route) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v %d >", r.SG, r.In)
	for _, h := range r.Out {
		fmt.Fprintf(&b, " %d", h.VIF)
		if h.TTL > 1 {
			fmt.Fprintf(&b, "/%d", h.TTL)
		}
	}
	return b.String()
}

// Hop is an outgoing interface of a Route.
type Hop struct {
	VIF VIF
	// TTL is a threshold: a packet leaves here if its TTL, as it arrived, is greater. 0 means 1, which is the least:
	// a packet that arrives with TTL 1 is never forwarded. 255 is refused.
	TTL uint8
}

// check compares the route with the VIFs that there are, before the kernel does: it refuses only numbers beyond its
// table, and leaves out silently what is not registered.
func (r Route) check(registered vifSet) error {
	if !registered.has(r.In) {
		return noVIF(r.In)
	}
	for _, h := range r.Out {
		switch {
		case !registered.has(h.VIF):
			return noVIF(h.VIF)
		case h.VIF == r.In:
			return ErrLoop
		case h.TTL == 255:
			return ErrTTL
		}
	}
	return nil
}

func noVIF(v VIF) error { return fault("look up", v, ErrNoVIF) }
