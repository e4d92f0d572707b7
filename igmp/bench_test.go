package igmp

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
)

// benchMessages are the shapes that decoders of this field are compared by.
func benchMessages() []struct {
	name string
	m    Message
} {
	group := netip.MustParseAddr("239.1.1.1")
	sources := []netip.Addr{
		netip.MustParseAddr("198.51.100.1"), netip.MustParseAddr("198.51.100.2"), netip.MustParseAddr("198.51.100.3"),
	}
	records := func(n int, s []netip.Addr) *ReportV3 {
		r := &ReportV3{}
		for range n {
			r.Records = append(r.Records, Record{Type: IsEx, Group: group, Sources: s})
		}
		return r
	}
	return []struct {
		name string
		m    Message
	}{
		{"v2 report", &ReportV2{Group: group}},
		{"v3 report 1 record", records(1, nil)},
		{"v3 report 10 records", records(10, sources[:2])},
		{"v3 report 183 records", records(183, nil)},
		{"v3 query 3 sources", &Query{Version: 3, Group: group, MaxResp: tenth, Sources: sources}},
	}
}

var benchHeader = Header{EthSrc: MAC{2, 0, 0, 0, 0, 1}, Src: netip.MustParseAddr("192.0.2.1")}

// visit reads every record and source, as a user would.
func visit(v *View) (n int) {
	for s := range v.Sources() {
		n += int(s.As4()[3])
	}
	for r := range v.Records() {
		n += int(r.Group.As4()[3])
		for s := range r.Sources() {
			n += int(s.As4()[3])
		}
	}
	return n
}

var visited int

func BenchmarkDecodePayload(b *testing.B) {
	for _, bm := range benchMessages() {
		payload, err := bm.m.MarshalBinary()
		require.NoError(b, err)
		b.Run(bm.name, func(b *testing.B) {
			var d Decoder
			b.ReportAllocs()
			for b.Loop() {
				v, err := d.Payload(payload)
				if err != nil {
					b.Fatal(err)
				}
				visited = visit(v)
			}
		})
	}
}

func BenchmarkDecodeFrame(b *testing.B) {
	for _, bm := range benchMessages() {
		frame, err := AppendFrame(nil, benchHeader, bm.m)
		require.NoError(b, err)
		b.Run(bm.name, func(b *testing.B) {
			var d Decoder
			b.ReportAllocs()
			for b.Loop() {
				v, err := d.Frame(frame)
				if err != nil {
					b.Fatal(err)
				}
				visited = visit(v)
			}
		})
	}
}

func BenchmarkParse(b *testing.B) {
	for _, bm := range benchMessages() {
		payload, err := bm.m.MarshalBinary()
		require.NoError(b, err)
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse(payload); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkAppendFrame(b *testing.B) {
	for _, bm := range benchMessages() {
		b.Run(bm.name, func(b *testing.B) {
			buf := make([]byte, 0, 1600)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := AppendFrame(buf[:0], benchHeader, bm.m); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkChecksum(b *testing.B) {
	data := make([]byte, 1472)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		visited = int(onesSum(data))
	}
}
