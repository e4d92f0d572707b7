package igmp_test

import (
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/ofmcast/ofmcast/igmp"
)

// A host joins a group and leaves it: both are records of IGMPv3 reports, encoded and read again.
func Example() {
	group := netip.MustParseAddr("239.1.1.1")
	for _, record := range []igmp.Record{
		{Type: igmp.ToEx, Group: group}, // all sources but none: a join
		{Type: igmp.ToIn, Group: group}, // no source: a leave
	} {
		payload, err := (&igmp.ReportV3{Records: []igmp.Record{record}}).MarshalBinary()
		if err != nil {
			fmt.Println(err)
			return
		}
		m, err := igmp.Parse(payload)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%x %v %v\n", payload, m.Type(), m.(*igmp.ReportV3).Records[0].Type)
	}
	// Output:
	// 2200e9fb0000000104000000ef010101 v3 report TO_EX
	// 2200eafb0000000103000000ef010101 v3 report TO_IN
}

// One buffer serves all messages that are sent: encoding then allocates nothing.
func ExampleAppendPacket() {
	src := netip.MustParseAddr("192.0.2.254")
	buf := make([]byte, 0, 1500)
	for _, group := range []string{"239.1.1.1", "239.1.1.2"} {
		packet, err := igmp.AppendPacket(buf[:0], igmp.Header{Src: src}, &igmp.Query{
			Version: 2, Group: netip.MustParseAddr(group), MaxResp: time.Second,
		})
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Printf("%d bytes, %x\n", len(packet), packet[24:])
	}
	// Output:
	// 32 bytes, 110afef2ef010101
	// 32 bytes, 110afef1ef010102
}

// The specific query for more sources than a packet holds.
func ExampleSplitQuery() {
	query := &igmp.Query{Version: 3, Group: netip.MustParseAddr("232.1.1.1"), MaxResp: time.Second, QRV: 2, QQI: 125 * time.Second}
	for i := range 500 {
		query.Sources = append(query.Sources, netip.AddrFrom4([4]byte{198, 51, byte(100 + i>>8), byte(i)}))
	}
	for part := range igmp.SplitQuery(query, 1500) {
		fmt.Println(len(part.Sources), "sources,", part.Len(), "bytes")
	}
	// Output:
	// 366 sources, 1476 bytes
	// 134 sources, 548 bytes
}

// An error says where, and matches a sentinel that says what.
func ExampleError() {
	report := &igmp.ReportV3{Records: []igmp.Record{
		{Type: igmp.ToEx, Group: netip.MustParseAddr("239.1.1.1")},
		{Type: igmp.ToEx, Group: netip.MustParseAddr("ff02::1")},
	}}
	_, err := report.MarshalBinary()
	var wrong *igmp.Error
	if errors.As(err, &wrong) {
		fmt.Println(wrong.Op, wrong.Type, "at", wrong.Where)
	}
	fmt.Println(errors.Is(err, igmp.ErrAddress), errors.Is(err, igmp.ErrRecordType))
	// Output:
	// encode v3 report at record 1: group
	// true false
}
