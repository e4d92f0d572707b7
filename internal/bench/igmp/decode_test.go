package igmpbench

import (
	"runtime"
	"slices"
	"testing"
	"time"

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

// turn is how long one contender runs before the next has its turn: many times as long as its garbage takes to call for
// a collection, so that each pays for its own.
const turn = 10 * time.Millisecond

// trial is how often each decodes at first, to see how often makes a turn.
const trial = 10_000

// compare lets the contenders take turns on one core, so that whatever else the machine does slows all of them alike,
// and reports the processor time of the median turn of each, and the ratios. What testing counts by itself, all of them
// together, is of no use here.
func compare(b *testing.B, data []byte, ours, packet, floor contender) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	all := []contender{ours, packet, floor}
	var turns [3][]float64
	var rounds [3]int
	var sum int
	for i, c := range all {
		begin := side.CPUTime()
		got, err := c(data, trial)
		rounds[i] = 1 + int(trial*turn/max(side.CPUTime()-begin, time.Microsecond))
		if err != nil || i > 0 && got != sum {
			b.Fatalf("contender %d: %v, visited %d, not %d", i, err, got, sum)
		}
		sum = got
	}
	for b.Loop() {
		for i, c := range all {
			begin := side.CPUTime()
			if _, err := c(data, rounds[i]); err != nil {
				b.Fatal(err)
			}
			turns[i] = append(turns[i], float64(side.CPUTime()-begin)/float64(rounds[i]))
		}
	}
	us, them, least := median(turns[0]), median(turns[1]), median(turns[2])
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(us, "ns-ours")
	b.ReportMetric(them, "ns-gopacket")
	b.ReportMetric(least, "ns-floor")
	b.ReportMetric(them/us, "x-gopacket")
	b.ReportMetric(us/least, "x-floor")
	b.ReportMetric(allocations(b, ours, data), "allocs-ours")
	b.ReportMetric(allocations(b, packet, data), "allocs-gopacket")
}

func median(s []float64) float64 {
	slices.Sort(s)
	return s[len(s)/2]
}

// allocations is what one decoding costs; what a contender allocates once is divided away.
func allocations(b *testing.B, c contender, data []byte) float64 {
	const many = 1000
	return float64(int(testing.AllocsPerRun(1, func() {
		if _, err := c(data, many); err != nil {
			b.Fatal(err)
		}
	}) / many))
}
