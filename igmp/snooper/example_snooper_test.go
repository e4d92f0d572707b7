package snooper_test

import (
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/igmp/snooper"
)

// Router ports end when nothing is heard from there. Generation says at a glance whether what a switch was told about
// them still holds.
func ExampleSnooper_Advance() {
	s := snooper.New(snooper.Config{})
	router := igmp.Header{EthSrc: igmp.MAC{2, 0, 0, 0, 0, 0xfe}, Src: netip.MustParseAddr("192.0.2.254")}
	query := frame(router, &igmp.Query{Version: 3, Group: netip.IPv4Unspecified(), MaxResp: 10 * time.Second})
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s.Frame(1, query, start)

	told := s.Generation()
	fmt.Println("router ports:", slices.Collect(s.RouterPorts(0)))
	for next, ok := s.Next(); ok; next, ok = s.Next() {
		if s.Advance(next); s.Generation() != told {
			told = s.Generation()
			fmt.Println("after", next.Sub(start), slices.Collect(s.RouterPorts(0)))
		}
	}
	// Output:
	// router ports: [1]
	// after 4m15s []
}

// The data of a group goes to its members, whom the caller knows, and to the router ports. What is link-local goes
// everywhere: nobody reports it.
func ExampleSnooper_Data() {
	s := snooper.New(snooper.Config{})
	for _, dst := range []string{"239.1.1.1", "224.0.0.251", "192.0.2.1"} {
		fmt.Println(dst, s.Data(netip.MustParseAddr(dst)))
	}
	// Output:
	// 239.1.1.1 members and routers
	// 224.0.0.251 all
	// 192.0.2.1 normal
}

// A port that sends more than it may is not heard beyond that, and counted.
func ExampleLimits() {
	s := snooper.New(snooper.Config{Limits: snooper.Limits{FramesPerSecond: 10, FrameBurst: 20}})
	host := igmp.Header{EthSrc: igmp.MAC{2, 0, 0, 0, 0, 1}, Src: netip.MustParseAddr("192.0.2.1")}
	report := frame(host, &igmp.ReportV2{Group: netip.MustParseAddr("239.1.1.1")})
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for range 100 {
		s.Frame(2, report, start)
	}
	c := s.Counters()
	fmt.Println(c.Frames[snooper.AcceptedReport], "taken,", c.Frames[snooper.IgnoredRate], "ignored")
	// Output: 20 taken, 80 ignored
}

// A record of package snooper and a report of package mcast have the same parts: glue for the two is a conversion.
// Sources belong to the Snooper, so whoever keeps them takes a copy.
func ExampleRecord() {
	type report struct { // in the place of mcast.Report
		group   netip.Addr
		segment uint32
		port    snooper.Port
		kind    uint8
		sources []netip.Addr
		version uint8
		at      time.Time
	}
	s := snooper.New(snooper.Config{})
	host := igmp.Header{
		EthSrc: igmp.MAC{2, 0, 0, 0, 0, 1}, Src: netip.MustParseAddr("192.0.2.1"), VLANs: []igmp.VLAN{{ID: 10}},
	}
	r := s.Frame(2, frame(host, &igmp.ReportV3{Records: []igmp.Record{
		{Type: igmp.ToEx, Group: netip.MustParseAddr("239.1.1.1")},
		{Type: igmp.Allow, Group: netip.MustParseAddr("232.1.1.1"), Sources: []netip.Addr{netip.MustParseAddr("198.51.100.1")}},
	}}), time.Now())
	for _, rec := range r.Records {
		rep := report{rec.Group, uint32(rec.VLAN), rec.Port, uint8(rec.Kind), slices.Clone(rec.Sources), rec.Version, rec.At}
		fmt.Println("VLAN", rep.segment, "port", rep.port, rep.kind, rep.group, rep.sources)
	}
	// Output:
	// VLAN 10 port 2 4 239.1.1.1 []
	// VLAN 10 port 2 5 232.1.1.1 [198.51.100.1]
}
