package view

import (
	"cmp"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// maxHosts is how many hosts a port remembers. Strangers can be many: the longest silent one goes.
const maxHosts = 32

// Hosts remembers who is behind the ports, and when they were asked and heard. It is for people:
// memberships are those of ports. The zero value is ready, and safe for any number of goroutines.
type Hosts struct {
	mu    sync.Mutex
	ports map[ofgroup.Port]*behind
}

// behind is what is known of a port.
type behind struct {
	asked, heard time.Time
	hosts        map[igmp.MAC]host
}

// host is what was last heard of one.
type host struct {
	addr    netip.Addr
	version uint8
	last    time.Time
}

// Heard notes a report or leave of a host.
func (h *Hosts) Heard(p ofgroup.Port, mac igmp.MAC, addr netip.Addr, version uint8, at time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	b := h.port(p)
	b.heard = at
	if _, known := b.hosts[mac]; !known && len(b.hosts) == maxHosts {
		b.forgetOldest()
	}
	b.hosts[mac] = host{addr, version, at}
}

// Asked notes a query to ports.
func (h *Hosts) Asked(at time.Time, ports ...ofgroup.Port) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, p := range ports {
		h.port(p).asked = at
	}
}

// keep forgets all ports but those there are.
func (h *Hosts) keep(ports []PortInfo) {
	there := make(map[ofgroup.Port]bool, len(ports))
	for _, p := range ports {
		there[p.Number] = true
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for p := range h.ports {
		if !there[p] {
			delete(h.ports, p)
		}
	}
}

// fill writes what is known of a port into p.
func (h *Hosts) fill(p *Port) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if b := h.ports[ofgroup.Port(p.Number)]; b != nil {
		p.LastQuery, p.LastAnswer = moment(b.asked), moment(b.heard)
		for mac, h := range b.hosts {
			p.Hosts = append(p.Hosts, Host{MAC: mac.String(), Addr: h.addr, IGMP: h.version, Last: h.last})
		}
	}
	slices.SortFunc(p.Hosts, func(a, b Host) int {
		return cmp.Or(b.Last.Compare(a.Last), cmp.Compare(a.MAC, b.MAC))
	})
	if len(p.Hosts) > 0 {
		p.IGMP = p.Hosts[0].IGMP
	}
}

// port returns what is known of a port, with the lock held.
func (h *Hosts) port(p ofgroup.Port) *behind {
	if h.ports == nil {
		h.ports = make(map[ofgroup.Port]*behind)
	}
	b := h.ports[p]
	if b == nil {
		b = &behind{hosts: make(map[igmp.MAC]host)}
		h.ports[p] = b
	}
	return b
}

func (b *behind) forgetOldest() {
	var oldest igmp.MAC
	var at time.Time
	for mac, h := range b.hosts {
		if at.IsZero() || h.last.Before(at) {
			oldest, at = mac, h.last
		}
	}
	delete(b.hosts, oldest)
}

// moment is a time that may not have been.
func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
