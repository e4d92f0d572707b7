package igmpbench

import (
	"net/netip"
	"testing"
	"time"

	"github.com/ofmcast/ofmcast/igmp"
)

var (
	group  = netip.MustParseAddr("239.1.1.1")
	header = igmp.Header{EthSrc: igmp.MAC{2, 0, 0, 0, 0, 1}, Src: netip.MustParseAddr("192.0.2.1")}
)

// shape is a message that the decoders are compared by.
type shape struct {
	name string
	m    igmp.Message
}

func shapes() []shape {
	sources := []netip.Addr{
		netip.MustParseAddr("198.51.100.1"), netip.MustParseAddr("198.51.100.2"), netip.MustParseAddr("198.51.100.3"),
	}
	return []shape{
		{"v2-report", &igmp.ReportV2{Group: group}},
		{"records/1", report(1, nil)},
		{"records/10", report(10, nil)},
		{"records/30", report(30, nil)},
		{"records/100", report(100, nil)},
		{"records/183", report(183, nil)}, // as many as an Ethernet frame holds
		{"records-of-2-sources/10", report(10, sources[:2])},
		{"query-of-3-sources", &igmp.Query{Version: 3, Group: group, MaxResp: time.Second, Sources: sources}},
	}
}

func report(records int, sources []netip.Addr) *igmp.ReportV3 {
	r := &igmp.ReportV3{}
	for range records {
		r.Records = append(r.Records, igmp.Record{Type: igmp.IsEx, Group: group, Sources: sources})
	}
	return r
}

func payload(tb testing.TB, m igmp.Message) []byte {
	b, err := m.MarshalBinary()
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func frame(tb testing.TB, m igmp.Message) []byte {
	b, err := igmp.AppendFrame(nil, header, m)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}
