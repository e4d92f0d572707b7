package mroute

// RouteCounters are the kernel's counters of one route. On a 32-bit kernel they wrap at 2^32.
type RouteCounters struct {
	// Packets and Bytes count all that came for this source and group, at whatever interface, forwarded or not. Where
	// this host has itself joined the group at an interface that the route leads out of, as by a Joiner, the kernel
	// loops the packet back there and counts it once more (seen with Linux 6.18). VIFCounters count it once.
	Packets, Bytes uint64
	// WrongIf counts those of Packets that came at another interface than the route's.
	WrongIf uint64
}

// Good is the number of packets that came at the route's own interface. Only they show that the route is alive:
// Packets rises too when the stream comes from elsewhere and is dropped.
func (c RouteCounters) Good() uint64 { return c.Packets - c.WrongIf }

// VIFCounters are the kernel's counters of one VIF. On a 32-bit kernel they wrap at 2^32.
type VIFCounters struct {
	// PacketsIn and BytesIn came at the interface for a route whose In it is, whether they were forwarded or not.
	PacketsIn, BytesIn uint64
	// PacketsOut and BytesOut were sent to the interface.
	PacketsOut, BytesOut uint64
}

// Stats count what the Socket read and did not hand out.
type Stats struct {
	// Malformed messages were neither an upcall nor an IGMP packet.
	Malformed uint64
	// UnknownVIF upcalls named a VIF that was not registered (any more).
	UnknownVIF uint64
}
