package main

import (
	"fmt"
	"net/netip"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// hosts gives each station of a capture a port. A capture does not know the ports of a switch, so
// every source MAC address gets one of its own, 1, 2, ... in the order in which they are first seen.
type hosts struct {
	ports map[igmp.MAC]ofgroup.Port
	addrs map[ofgroup.Port]netip.Addr
}

func newHosts() *hosts {
	return &hosts{ports: make(map[igmp.MAC]ofgroup.Port), addrs: make(map[ofgroup.Port]netip.Addr)}
}

// port returns the port on which the frame came in. A frame that ends before its source address has
// none, and the port 0.
func (h *hosts) port(frame []byte) ofgroup.Port {
	const begin, end = 6, 12 // the source address in an Ethernet header
	if len(frame) < end {
		return 0
	}
	mac := igmp.MAC(frame[begin:end])
	p, known := h.ports[mac]
	if !known {
		p = ofgroup.Port(len(h.ports) + 1)
		h.ports[mac] = p
	}
	return p
}

// learn notes the IPv4 address of the host behind a port: the first one that it used.
func (h *hosts) learn(p ofgroup.Port, addr netip.Addr) {
	if _, known := h.addrs[p]; !known && !addr.IsUnspecified() {
		h.addrs[p] = addr
	}
}

// name is how people call the host behind a port.
func (h *hosts) name(p ofgroup.Port) string {
	if a, ok := h.addrs[p]; ok {
		return a.String()
	}
	return fmt.Sprintf("port %d", p)
}

// compare orders hosts by address; those without one come last, by port.
func (h *hosts) compare(a, b ofgroup.Port) int {
	x, knownX := h.addrs[a]
	y, knownY := h.addrs[b]
	switch {
	case knownX && knownY && x != y:
		return x.Compare(y)
	case knownX != knownY && knownX:
		return -1
	case knownX != knownY:
		return 1
	}
	return int(a) - int(b)
}
