package routesbench

import (
	"fmt"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/bench/side"
	"github.com/ofmcast/ofmcast/mroute"
)

var (
	// How many routes there are.
	sizes = []int{100, 300, 1000, 3000, 10_000}

	source = netip.MustParseAddr("198.51.100.1")
)

// tables are our Socket and the bare one, side by side in one namespace, with the same two VIFs, and keys for n routes.
func tables(b *testing.B, n int) (ours *mroute.Socket, floor *bare, keys []mroute.SG) {
	b.Helper()
	for n := range n {
		keys = append(keys, mroute.SG{Source: source, Group: netip.AddrFrom4([4]byte{239, 1, byte(n >> 8), byte(n)})})
	}
	router, _ := newRouter(b)
	router.run(b, func() error {
		in, out, err := indexes("in0", "out0")
		if err != nil {
			return err
		}
		if ours, err = mroute.Open(mroute.Config{}); err != nil {
			return err
		}
		for _, i := range []int{in, out} {
			if _, err := ours.AddVIF(mroute.IfIndex(i)); err != nil {
				return err
			}
		}
		floor, err = openBare(in, out)
		return err
	})
	b.Cleanup(func() { _ = ours.Close(); _ = floor.close() })
	return ours, floor, keys
}

func route(k mroute.SG) mroute.Route {
	return mroute.Route{SG: k, In: 0, Out: []mroute.Hop{{VIF: 1, TTL: 1}}}
}

// each does something with every key, and returns the processor time that it took in ns.
func each(b *testing.B, keys []mroute.SG, do func(mroute.SG) error) float64 {
	begin := side.CPUTime()
	for _, k := range keys {
		if err := do(k); err != nil {
			b.Fatal(err)
		}
	}
	return float64(side.CPUTime() - begin)
}

// Adding n routes to an empty table, beside a bare loop of system calls, in turns.
func BenchmarkAdd(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			ours, floor, keys := tables(b, n)
			var us, least []float64
			for b.Loop() {
				us = append(us, each(b, keys, func(k mroute.SG) error { return ours.AddRoute(route(k)) }))
				each(b, keys, ours.DelRoute)
				least = append(least, each(b, keys, func(k mroute.SG) error { return floor.set(mrtAddMFC, k) }))
				each(b, keys, func(k mroute.SG) error { return floor.set(mrtDelMFC, k) })
			}
			report(b, us, least, "floor")
			b.ReportMetric(allocations(b, keys, func(k mroute.SG) error { return ours.AddRoute(route(k)) }), "allocs-ours")
		})
	}
}

// The counters of n routes by one dump, and one by one, beside a system call for each of them, in turns.
func BenchmarkCount(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			ours, floor, keys := tables(b, n)
			each(b, keys, func(k mroute.SG) error { return ours.AddRoute(route(k)) })
			each(b, keys, func(k mroute.SG) error { return floor.set(mrtAddMFC, k) })
			dumpAll := func(mroute.SG) error {
				all, err := ours.Dump()
				require.Len(b, all, n)
				return err
			}
			count := func(k mroute.SG) error { _, err := ours.RouteCounters(k); return err }
			var dump, calls, least []float64
			for b.Loop() {
				dump = append(dump, each(b, keys[:1], dumpAll))
				calls = append(calls, each(b, keys, count))
				least = append(least, each(b, keys, floor.count))
			}
			report(b, dump, least, "ioctls")
			b.ReportMetric(side.Median(calls)/1000, "µs-RouteCounters")
			b.ReportMetric(allocations(b, keys[:1], dumpAll), "allocs-ours")
			b.ReportMetric(allocations(b, keys, count), "allocs-RouteCounters")
		})
	}
}

// allocations is what do allocates for each of the keys; what it allocates once in many is divided away.
func allocations(b *testing.B, keys []mroute.SG, do func(mroute.SG) error) float64 {
	all := testing.AllocsPerRun(1, func() { each(b, keys, do) })
	return float64(int(all) / len(keys))
}

// report reports the medians and the ratio. What testing counts by itself is of no use here.
func report(b *testing.B, ours, theirs []float64, name string) {
	us, them := side.Median(ours), side.Median(theirs)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(us/1000, "µs-ours")
	b.ReportMetric(them/1000, "µs-"+name)
	b.ReportMetric(us/them, "x-"+name)
}
