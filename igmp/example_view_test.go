package igmp_test

import (
	"fmt"
	"net/netip"

	"github.com/ofmcast/ofmcast/igmp"
)

// Whoever keeps what was read takes a copy: the View is written over by the next call, and points into the packet.
func ExampleView_Clone() {
	var d igmp.Decoder
	var kept []*igmp.View
	buf := make([]byte, 0, 1500) // a raw socket reads into one buffer
	for _, host := range []string{"192.0.2.1", "192.0.2.2"} {
		packet, err := igmp.AppendPacket(buf[:0], igmp.Header{Src: netip.MustParseAddr(host)},
			&igmp.ReportV2{Group: netip.MustParseAddr("239.1.1.1")})
		if err != nil {
			fmt.Println(err)
			return
		}
		v, err := d.Packet(packet)
		if err != nil {
			fmt.Println(err)
			continue
		}
		kept = append(kept, v.Clone())
	}
	for _, v := range kept {
		fmt.Printf("%v: v%d report for %v\n", v.Src, v.Version, v.Group)
	}
	// Output:
	// 192.0.2.1: v2 report for 239.1.1.1
	// 192.0.2.2: v2 report for 239.1.1.1
}

// A View comes with every error, and its Layer says how much of it was read: for counters and dumps, not to act upon.
func ExampleView_layer() {
	frame, err := igmp.AppendFrame(nil, igmp.Header{
		EthSrc: igmp.MAC{2, 0, 0, 0, 0, 1}, Src: netip.MustParseAddr("192.0.2.1"),
	}, &igmp.ReportV2{Group: netip.MustParseAddr("239.1.1.1")})
	if err != nil {
		fmt.Println(err)
		return
	}
	frame[len(frame)-1] ^= 1
	var d igmp.Decoder
	v, err := d.Frame(frame)
	fmt.Println(err, "|", v.Layer, v.IPChecksum, v.Checksum)
	frame[14] = 0x65 // IP version 6 in an IPv4 frame
	v, err = d.Frame(frame)
	fmt.Printf("%v | %v %#04x %v\n", err, v.Layer, v.EtherType, v.Checksum)
	v, err = d.Frame(frame[:10])
	fmt.Println(err, "|", v.Layer)
	// Output:
	// IGMP checksum wrong | IGMP good bad
	// IPv4 header malformed | Ethernet 0x0800 unread
	// frame ends in the Ethernet header | none
}
