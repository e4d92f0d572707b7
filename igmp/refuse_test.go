package igmp

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestWhatCannotBeSentIsRefused(t *testing.T) {
	group, source := addr("233.252.0.1"), addr("198.51.100.1")
	record := func(typ RecordType, g netip.Addr, s ...netip.Addr) Message {
		return &ReportV3{Records: []Record{{Type: IsIn, Group: group}, {Type: typ, Group: g, Sources: s}}}
	}
	for name, c := range map[string]struct {
		m    Message
		err  error
		text string
	}{
		"no group in a v1 report":   {&ReportV1{}, ErrAddress, "igmp: encode v1 report: group: not an IPv4 address"},
		"no group in a v2 report":   {&ReportV2{}, ErrAddress, "igmp: encode v2 report: group: not an IPv4 address"},
		"no group in a leave":       {&Leave{}, ErrAddress, "igmp: encode v2 leave: group: not an IPv4 address"},
		"no group is not general":   {&Query{Version: 3}, ErrAddress, "igmp: encode query: group: not an IPv4 address"},
		"::":                        {&ReportV2{Group: netip.IPv6Unspecified()}, ErrAddress, ""},
		"IPv6 group":                {&ReportV2{Group: addr("ff02::1")}, ErrAddress, ""},
		"IPv6 group in a query":     {&Query{Version: 2, MaxResp: tenth, Group: addr("ff02::1")}, ErrAddress, ""},
		"no source":                 {&Query{Version: 3, Group: group, Sources: []netip.Addr{source, {}}}, ErrAddress, "igmp: encode query: source 1: not an IPv4 address"},
		"IPv6 group in a record":    {record(IsEx, addr("ff02::1")), ErrAddress, "igmp: encode v3 report: record 1: group: not an IPv4 address"},
		"IPv6 source in a record":   {record(IsEx, group, source, addr("2001:db8::1")), ErrAddress, "igmp: encode v3 report: record 1: source 1: not an IPv4 address"},
		"record type 0":             {record(0, group), ErrRecordType, "igmp: encode v3 report: record 1: no such record type"},
		"record type 7":             {record(7, group), ErrRecordType, ""},
		"version 0":                 {&Query{Group: group}, ErrVersion, "igmp: encode query: no such IGMP version"},
		"version 4":                 {&Query{Version: 4, Group: group}, ErrVersion, ""},
		"v1 query with sources":     {&Query{Version: 1, Group: group, Sources: addrs("198.51.100.1")}, ErrVersionSources, ""},
		"v2 query with sources":     {&Query{Version: 2, MaxResp: tenth, Group: group, Sources: addrs("198.51.100.1")}, ErrVersionSources, ""},
		"v3 query of an hour":       {&Query{Version: 3, Group: group, MaxResp: time.Hour}, ErrTime, "igmp: encode query: max resp: time out of range"},
		"v3 query every nine hours": {&Query{Version: 3, Group: group, QQI: 9 * time.Hour}, ErrTime, "igmp: encode query: QQI: time out of range"},
		"a report as Other":         {&Other{MessageType: TypeReportV2, Body: make([]byte, 4)}, ErrType, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := c.m.MarshalBinary()
			require.ErrorIs(t, err, c.err)
			var e *Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, c.m.Type(), e.Type)
			if c.text != "" {
				require.EqualError(t, err, c.text)
			}

			before := []byte("before")
			b, err := c.m.AppendBinary(before)
			require.ErrorIs(t, err, c.err)
			require.Equal(t, before, b, "what was half written must not stay")
		})
	}
}

func TestCountsAndLengthsAtTheirMaximum(t *testing.T) {
	group := addr("233.252.0.1")
	sources := make([]netip.Addr, 1<<16)
	for i := range sources {
		sources[i] = addr("198.51.100.1")
	}
	records := make([]Record, 1<<16)
	for i := range records {
		records[i] = Record{Type: IsEx, Group: group}
	}
	// 65,515 bytes is what an IPv4 packet holds: 16,375 sources of a query, 8,188 records, a body of 65,511.
	for name, c := range map[string]struct {
		largest, over Message
		size          int
	}{
		"sources of a query": {
			&Query{Version: 3, Group: group, Sources: sources[:16375]},
			&Query{Version: 3, Group: group, Sources: sources[:16376]}, 65512},
		"sources of a record": {
			&ReportV3{Records: []Record{{Type: IsEx, Group: group, Sources: sources[:16374]}}},
			&ReportV3{Records: []Record{{Type: IsEx, Group: group, Sources: sources[:16375]}}}, 65512},
		"records": {&ReportV3{Records: records[:8188]}, &ReportV3{Records: records[:8189]}, 65512},
		"body": {
			&Other{MessageType: TypeDVMRP, Body: make([]byte, 65511)},
			&Other{MessageType: TypeDVMRP, Body: make([]byte, 65512)}, 65515},
	} {
		t.Run(name, func(t *testing.T) {
			b, err := c.largest.MarshalBinary()
			require.NoError(t, err)
			require.Len(t, b, c.size)
			require.Equal(t, uint16(c.size), c.largest.Len())
			back, err := Parse(b)
			require.NoError(t, err)
			require.Equal(t, c.largest, back)

			_, err = c.over.MarshalBinary()
			require.ErrorIs(t, err, ErrTooLong)
			b, err = c.over.AppendBinary([]byte("before"))
			require.ErrorIs(t, err, ErrTooLong)
			require.Equal(t, []byte("before"), b)
		})
	}
	for name, m := range map[string]Message{
		"65536 sources of a query":  &Query{Version: 3, Group: group, Sources: sources},
		"65536 sources of a record": &ReportV3{Records: []Record{{Type: IsEx, Group: group, Sources: sources}}},
		"65536 records":             &ReportV3{Records: records},
		"a body of 65536":           &Other{MessageType: TypeDVMRP, Body: make([]byte, 1<<16)},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, uint16(0xffff), m.Len(), "Len saturates, it does not wrap")
			_, err := m.MarshalBinary()
			require.ErrorIs(t, err, ErrTooLong)
		})
	}
}

func TestFramesThatCannotBeSentAreRefused(t *testing.T) {
	report := &ReportV2{Group: addr("233.252.0.1")}
	good := Header{EthSrc: MAC{2, 0, 0, 0, 0, 1}, Src: addr("192.0.2.1")}
	for name, c := range map[string]struct {
		change func(h *Header)
		m      Message
		err    error
	}{
		"no source":             {func(h *Header) { h.Src = netip.Addr{} }, report, ErrAddress},
		"IPv6 source":           {func(h *Header) { h.Src = addr("2001:db8::1") }, report, ErrAddress},
		"IPv6 destination":      {func(h *Header) { h.Dst = addr("ff02::16") }, report, ErrAddress},
		"no source MAC":         {func(h *Header) { h.EthSrc = MAC{} }, report, ErrMAC},
		"group as source MAC":   {func(h *Header) { h.EthSrc = MAC{1, 0, 0x5e} }, report, ErrMAC},
		"three tags":            {func(h *Header) { h.VLANs = make([]VLAN, 3) }, report, ErrVLANDepth},
		"VLAN 4096":             {func(h *Header) { h.VLANs = []VLAN{{ID: 4096}} }, report, ErrVLAN},
		"priority 8":            {func(h *Header) { h.VLANs = []VLAN{{Priority: 8}} }, report, ErrVLAN},
		"another tag type":      {func(h *Header) { h.VLANs = []VLAN{{TPID: 0x9100}} }, report, ErrVLAN},
		"unicast without a MAC": {func(h *Header) { h.Dst = addr("192.0.2.9") }, report, ErrDestination},
		"a report for a host":   {func(*Header) {}, &ReportV2{Group: addr("192.0.2.9")}, ErrDestination},
		"a query for no group":  {func(*Header) {}, &Query{Version: 3, Group: addr("192.0.2.9")}, ErrDestination},
		"DVMRP goes anywhere":   {func(*Header) {}, &Other{MessageType: TypeDVMRP}, ErrDestination},
		"the message itself":    {func(*Header) {}, &ReportV3{Records: make([]Record, 1)}, ErrRecordType},
		"no room for Router Alert": {func(h *Header) { h.Dst = allRouters },
			&Other{MessageType: TypeDVMRP, Body: make([]byte, 65508)}, ErrTooLong},
	} {
		t.Run(name, func(t *testing.T) {
			h := good
			c.change(&h)
			b, err := AppendFrame([]byte("before"), h, c.m)
			require.ErrorIs(t, err, c.err)
			require.Equal(t, []byte("before"), b)
			var e *Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, c.m.Type(), e.Type)
		})
	}
}

func TestPacketsThatCannotBeSentAreRefused(t *testing.T) {
	h := Header{Src: addr("192.0.2.1")}
	for want, m := range map[error]Message{
		ErrDestination: &ReportV2{Group: addr("192.0.2.9")},
		ErrRecordType:  &ReportV3{Records: make([]Record, 1)},
	} {
		b, err := AppendPacket([]byte("before"), h, m)
		require.ErrorIs(t, err, want)
		require.Equal(t, []byte("before"), b)
	}
}

func TestNoMessageIsRefusedAndNoPanic(t *testing.T) {
	h := Header{EthSrc: MAC{2}, Src: addr("192.0.2.1")}
	for _, m := range []Message{
		nil, (*Query)(nil), (*ReportV1)(nil), (*ReportV2)(nil), (*Leave)(nil), (*ReportV3)(nil), (*Other)(nil),
	} {
		_, err := Destination(m)
		require.ErrorIs(t, err, ErrNoMessage)
		for _, dst := range []netip.Addr{{}, allRouters} {
			h.Dst = dst
			for _, appendTo := range []func([]byte, Header, Message) ([]byte, error){AppendFrame, AppendPacket} {
				b, err := appendTo([]byte("before"), h, m)
				require.ErrorIs(t, err, ErrNoMessage)
				require.ErrorAs(t, err, new(*Error))
				require.Equal(t, []byte("before"), b)
			}
		}
	}
}

func TestUnicastQueryNeedsOnlyTheMAC(t *testing.T) {
	h := Header{EthSrc: MAC{2}, EthDst: MAC{2, 9}, Src: addr("192.0.2.1"), Dst: addr("192.0.2.9"), TTL: 7, TOS: 0x88, ID: 5}
	b, err := AppendFrame(nil, h, &Query{Version: 3, Group: unspecifiedV4})
	require.NoError(t, err)
	var d Decoder
	v, err := d.Frame(b)
	require.NoError(t, err)
	h.VLANs = []VLAN{}
	require.Equal(t, h, hostHeader(v))
}

func TestTagsAreWrittenOutermostFirst(t *testing.T) {
	want := []VLAN{{TPID: 0x88a8, ID: 4095, Priority: 7, DropEligible: true}, {TPID: 0x8100, ID: 10, Priority: 1}}
	h := Header{EthSrc: MAC{2}, Src: addr("192.0.2.1"), VLANs: []VLAN{want[0], {ID: 10, Priority: 1}}}
	b, err := AppendFrame(nil, h, &ReportV2{Group: addr("233.252.0.1")})
	require.NoError(t, err)
	require.Equal(t, unhex(t, "88a8ffff8100200a0800"), b[ethAddrs:ethAddrs+10])
	var d Decoder
	v, err := d.Frame(b)
	require.NoError(t, err)
	require.Equal(t, want, v.VLANs())
}
