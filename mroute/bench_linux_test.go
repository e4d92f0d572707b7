package mroute

import (
	"net/netip"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

const benchRoutes = 1000

// benchTable is a Socket with two VIFs, and the keys of routes between them.
func benchTable(b *testing.B) (*Socket, []SG) {
	enterNamespace(b)
	d := dummies(b, 2)
	s := open(b)
	addVIFs(b, s, d...)
	keys := make([]SG, benchRoutes)
	for n := range keys {
		keys[n] = SG{source, netip.AddrFrom4([4]byte{233, 252, byte(n >> 8), byte(n)})}
	}
	return s, keys
}

// Each turn starts from an empty table.
func BenchmarkAdd1000Routes(b *testing.B) {
	s, keys := benchTable(b)
	socket := s.kernel.(*routingSocket)
	set := func(option int, k SG) error {
		entry := mfcctl(k.key(), 0, ttls{1: 1})
		return syscall.SetsockoptString(socket.fd, syscall.IPPROTO_IP, option, unsafe.String(&entry[0], len(entry)))
	}
	b.Run("AddRoute", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for _, k := range keys {
				if err := s.AddRoute(Route{SG: k, Out: []Hop{{VIF: 1}}}); err != nil {
					b.Fatal(err)
				}
			}
			b.StopTimer()
			for _, k := range keys {
				require.NoError(b, s.DelRoute(k))
			}
			b.StartTimer()
		}
	})
	b.Run("setsockopt", func(b *testing.B) {
		for b.Loop() {
			for _, k := range keys {
				if err := set(mrtAddMFC, k); err != nil {
					b.Fatal(err)
				}
			}
			b.StopTimer()
			for _, k := range keys {
				require.NoError(b, set(mrtDelMFC, k))
			}
			b.StartTimer()
		}
	})
}

func BenchmarkCount1000Routes(b *testing.B) {
	s, keys := benchTable(b)
	for _, k := range keys {
		require.NoError(b, s.AddRoute(Route{SG: k, Out: []Hop{{VIF: 1}}}))
	}
	b.Run("RouteCounters", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for _, k := range keys {
				if _, err := s.RouteCounters(k); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("Dump", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if all, err := s.Dump(); err != nil || len(all) != benchRoutes {
				b.Fatal(len(all), err)
			}
		}
	})
}

// From a stream's first packet to its entry in the kernel.
func BenchmarkFirstPacketToRoute(b *testing.B) {
	enterNamespace(b)
	from := newHost(b, 1)
	newHost(b, 2)
	s := open(b)
	run(b, s, RouterConfig{Inputs: []string{"v1"}, Policy: func(Flow) Decision {
		return Decision{Out: []Out{{Interface: "v2"}}}
	}})
	in := from.sender(b)
	n := uint32(0)
	for b.Loop() {
		n++
		k := SG{source, netip.AddrFrom4([4]byte{239, byte(n >> 16), byte(n >> 8), byte(n)})}
		send(b, in, k.Group.String(), "x")
		for {
			if _, err := s.RouteCounters(k); err == nil {
				break
			}
		}
	}
}
