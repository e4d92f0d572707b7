package igmpbench

import (
	"testing"

	"github.com/gopacket/gopacket/layers"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/internal/bench/side"
)

// Whole frames: ours verifies both checksums, gopacket and the bare loop none.
func BenchmarkFrame(b *testing.B) {
	decode := ours((*igmp.Decoder).Frame)
	for _, s := range shapes() {
		b.Run(s.name, func(b *testing.B) {
			v3 := s.m.Type() == igmp.TypeReportV3 || s.m.Type() == igmp.TypeQuery
			compare(b, frame(b, s.m), decode, packetParser(layers.LayerTypeEthernet, v3), bareFrame)
		})
	}
}

// The IGMP message alone.
func BenchmarkPayload(b *testing.B) {
	decode := ours((*igmp.Decoder).Payload)
	for _, s := range shapes() {
		b.Run(s.name, func(b *testing.B) {
			v3 := s.m.Type() == igmp.TypeReportV3 || s.m.Type() == igmp.TypeQuery
			compare(b, payload(b, s.m), decode, packetParser(layers.LayerTypeIGMP, v3), barePayload)
		})
	}
}

// compare has the three decode the same, and proves first that they visit the same.
func compare(b *testing.B, data []byte, ours, packet, floor contender) {
	names := []string{"ours", "gopacket", "floor"}
	var ways []side.Way
	var sum int
	for i, c := range []contender{ours, packet, floor} {
		got, err := c(data, 1)
		if err != nil || i > 0 && got != sum {
			b.Fatalf("%s: %v, visited %d, not %d", names[i], err, got, sum)
		}
		sum = got
		ways = append(ways, side.Way{Name: names[i], Do: func(n int) error {
			_, err := c(data, n)
			return err
		}})
	}
	side.Compare(b, ways...)
}
