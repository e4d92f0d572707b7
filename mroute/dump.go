package mroute

import (
	"slices"
	"time"
)

// KernelRoute is an entry of the kernel's cache, as the kernel tells of it. It owns its memory.
type KernelRoute struct {
	SG
	// Table is the multicast routing table that has it.
	Table uint32
	// In is where the packets have to arrive. Its Index is 0 when that interface has vanished.
	In Port
	// Out are the interfaces where they leave, in the order of VIF numbers: those of them that exist.
	Out []KernelHop
	// Counters have 64 bits on every system.
	Counters RouteCounters
	// Idle is how long ago the last packet came, at whatever interface, in steps of 10 ms.
	Idle time.Duration
	// Unresolved is no route yet: packets have come, and the kernel waits for the answer to its NoCache upcall. In and Out
	// are not known.
	Unresolved bool
	// Static routes were made by somebody else than the socket that owns the table, and stay when it is closed.
	Static bool
	// Offloaded routes are forwarded by hardware, whose packets may not be counted.
	Offloaded bool
}

// KernelHop is an outgoing interface of a KernelRoute. TTL is the threshold, 1 or more.
type KernelHop struct {
	Port
	TTL uint8
}

// Route is the entry in the form that AddRoute takes, by VIF number. It has NoVIF where there is no number.
func (k KernelRoute) Route() Route {
	r := Route{SG: k.SG, In: k.In.VIF}
	for _, h := range k.Out {
		if h.VIF == k.In.VIF && k.Wildcard() && h.TTL == 1 {
			continue // AddRoute put it there
		}
		r.Out = append(r.Out, Hop{VIF: h.VIF, TTL: h.TTL})
	}
	return r
}

// KernelVIF is a VIF as the kernel tells of it.
type KernelVIF struct {
	Port
	// Register VIFs are PIM's, and have an interface of their own (pimreg).
	Register bool
	// Static VIFs were made by somebody else than the socket that owns the table.
	Static bool
	// Counters have 64 bits on every system.
	Counters VIFCounters
}

// Dump asks the kernel for all entries of the Socket's table, whoever made them, in no order, and numbers their interfaces
// by the VIFs that the kernel has now. It is one request whatever their number. An entry that was there all the time can
// be missing when others were deleted meanwhile: RouteCounters knows for certain.
func (s *Socket) Dump() ([]KernelRoute, error) {
	_, routes, err := s.snapshot()
	return routes, err
}

// snapshot is Dump, and VIFs in no order. The VIFs are asked for last, because the kernel flushes them first: whoever finds
// a route flushed knows what has become of its VIFs.
func (s *Socket) snapshot() ([]KernelVIF, []KernelRoute, error) {
	routes, err := s.kernel.dumpRoutes()
	if err != nil {
		return nil, nil, fault("dump routes", "", err)
	}
	vifs, err := s.kernel.dumpVIFs()
	if err != nil {
		return nil, nil, fault("dump VIFs", "", err)
	}
	number := make(map[IfIndex]VIF, len(vifs))
	for _, v := range vifs {
		number[v.Index] = v.VIF
	}
	for n := range routes {
		routes[n].number(number)
	}
	return vifs, routes, nil
}

// VIFs asks the kernel for all VIFs of the Socket's table, whoever made them.
func (s *Socket) VIFs() ([]KernelVIF, error) {
	vifs, err := s.kernel.dumpVIFs()
	slices.SortFunc(vifs, func(a, b KernelVIF) int { return int(a.VIF) - int(b.VIF) })
	return vifs, fault("dump VIFs", "", err)
}

// number looks up the VIF numbers of the route's interfaces.
func (k *KernelRoute) number(of map[IfIndex]VIF) {
	k.In.number(of)
	for n := range k.Out {
		k.Out[n].number(of)
	}
}

func (p *Port) number(of map[IfIndex]VIF) {
	p.VIF = NoVIF
	if v, ok := of[p.Index]; ok {
		p.VIF = v
	}
}
