package main

import (
	"net/netip"

	"github.com/ofmcast/ofmcast/igmp"
)

// costs are what one message costs in bytes on the wire, and one membership in memory.
type costs struct {
	// Write, Ack and Deliver are of an update of a group: the writer's request, the engine's answer, and
	// what each watcher gets. RenewWrite and so on are of a lease.
	Write, Ack, Deliver                float64
	RenewWrite, RenewAck, RenewDeliver float64
	// CacheEntry is a membership in the cache, MirrorEntry what the exchange keeps beside it, as the test of
	// its memory says.
	CacheEntry, MirrorEntry float64
}

// tcpHeaders are Ethernet, IPv4 and TCP with timestamps around a message that travels alone, as nearly all do
// when there are few; vxlanHeaders are Ethernet, IPv4, UDP and VXLAN around a frame (RFC 7348 section 5).
const (
	tcpHeaders   = 14 + 20 + 32
	vxlanHeaders = 14 + 20 + 8 + 8
)

// measured is what `go run ./sim -measure` has found with nats-server 2.15.2, nats.go 1.55.0 and Go 1.26;
// a test measures again.
var measured = costs{
	Write: 168, Ack: 150, Deliver: 191,
	RenewWrite: 170, RenewAck: 156, RenewDeliver: 199,
	CacheEntry: 233, MirrorEntry: 149,
}

// sample is a node's name and group as the measurement has them; the sizes go with their lengths.
const sample = "172.31.100.200"

// reportBytes is the size of a report of so many groups without sources as it goes through a tunnel.
func (c costs) reportBytes(records int) int { return c.splitReport(records, 1500)[0] }

// splitReport are the sizes of the reports that a node with so many groups needs, through a tunnel.
func (costs) splitReport(records, mtu int) (sizes []int) {
	r := &igmp.ReportV3{}
	for i := range records {
		g := netip.AddrFrom4([4]byte{239, byte(i >> 16), byte(i >> 8), byte(i)})
		r.Records = append(r.Records, igmp.Record{Type: igmp.IsEx, Group: g})
	}
	for part := range igmp.SplitReport(r, mtu) {
		frame, err := igmp.AppendFrame(nil, igmp.Header{EthSrc: igmp.MAC{2, 0, 0, 0, 0, 1}, Src: netip.MustParseAddr(sample)}, part)
		if err != nil {
			panic(err) // a report that SplitReport made fits
		}
		sizes = append(sizes, len(frame)+vxlanHeaders)
	}
	return sizes
}
