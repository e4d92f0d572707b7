package igmp_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/ofmcast/ofmcast/igmp"
)

// The payload of a raw socket's packet, here a join from any source.
func ExampleParse() {
	payload := []byte{0x22, 0, 0xf0, 0x00, 0, 0, 0, 1, 4, 0, 0, 0, 233, 252, 0, 1}
	m, err := igmp.Parse(payload)
	if err != nil {
		fmt.Println(err)
		return
	}
	switch m := m.(type) {
	case *igmp.ReportV3:
		for _, r := range m.Records {
			fmt.Println(r.Type, r.Group, r.Sources)
		}
	case *igmp.ReportV2:
		fmt.Println("joins", m.Group)
	case *igmp.Leave:
		fmt.Println("leaves", m.Group)
	}
	// Output: TO_EX 233.252.0.1 []
}

// A general query as a querier sends it, in VLAN 10.
func ExampleAppendFrame() {
	query := &igmp.Query{
		Version: 3,
		Group:   netip.IPv4Unspecified(),
		MaxResp: 10 * time.Second,
		QRV:     2,
		QQI:     125 * time.Second,
	}
	frame, err := igmp.AppendFrame(nil, igmp.Header{
		EthSrc: igmp.MAC{0x02, 0, 0, 0, 0, 0x01},
		VLANs:  []igmp.VLAN{{ID: 10}},
		Src:    netip.MustParseAddr("192.0.2.254"),
	}, query)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d bytes\nEthernet %x\nIPv4     %x\nIGMP     %x\n", len(frame), frame[:18], frame[18:42], frame[42:])
	// Output:
	// 54 bytes
	// Ethernet 01005e0000010200000000018100000a0800
	// IPv4     46c000240000400001024114c00002fee000000194040000
	// IGMP     1164ec1e00000000027d0000
}

// A Linux host asks for a group from one source. One Decoder serves all frames; nothing is allocated.
func ExampleDecoder_Frame() {
	frame, _ := hex.DecodeString("01005e000016020000000003080046c0002c00004000010241f2c0000203" +
		"e0000016940400002200c5c50000000105000001e8010101c6336401")
	var d igmp.Decoder
	v, err := d.Frame(frame)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(v.EthSrc, v.Src, "to", v.Dst, "TTL", v.TTL, "Router Alert", v.RouterAlert)
	for r := range v.Records() {
		for s := range r.Sources() {
			fmt.Println(r.Type, r.Group, s)
		}
	}
	// Output:
	// 02:00:00:00:00:03 192.0.2.3 to 224.0.0.22 TTL 1 Router Alert true
	// ALLOW 232.1.1.1 198.51.100.1
}

// A refusal says why, and the View says how far the frame was understood.
func ExampleDecoder_Frame_refused() {
	pim := []byte{
		0x01, 0x00, 0x5e, 0, 0, 0x0d, 0x02, 0, 0, 0, 0, 0x01, 0x08, 0x00,
		0x45, 0xc0, 0, 22, 0, 0, 0, 0, 1, 103, 0x15, 0xb6, 192, 0, 2, 254, 224, 0, 0, 13,
		0x20, 0x00,
	}
	var d igmp.Decoder
	v, err := d.Frame(pim)
	if errors.Is(err, igmp.ErrNotIGMP) && v.Protocol == 103 && v.Payload()[0] == 0x20 {
		fmt.Println("PIM hello from", v.Src)
	}
	// Output: PIM hello from 192.0.2.254
}

// A report with more records than a frame holds goes out as several.
func ExampleSplitReport() {
	report := &igmp.ReportV3{}
	for i := range 400 {
		group := netip.AddrFrom4([4]byte{239, 1, byte(i >> 8), byte(i)})
		report.Records = append(report.Records, igmp.Record{Type: igmp.IsEx, Group: group})
	}
	for part := range igmp.SplitReport(report, 1500) {
		fmt.Println(len(part.Records), "records,", part.Len(), "bytes")
	}
	// Output:
	// 183 records, 1472 bytes
	// 183 records, 1472 bytes
	// 34 records, 280 bytes
}

// From 128 s on not every interval has a code: the next longer one is sent.
func ExampleQQICode() {
	for _, d := range []time.Duration{125 * time.Second, 130 * time.Second} {
		code, err := igmp.QQICode(d)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%v is sent as %#x = %v\n", d, uint8(code), code.QQI())
	}
	// Output:
	// 2m5s is sent as 0x7d = 2m5s
	// 2m10s is sent as 0x81 = 2m16s
}
