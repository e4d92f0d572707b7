package mroute

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEntryOfARouterInWords(t *testing.T) {
	e := Entry{SG: documented, In: "eth0", Out: []string{"eth1", "eth2"}}
	require.Equal(t, "(198.51.100.1, 233.252.0.1) eth0 > eth1 eth2", e.String())
	require.False(t, e.Negative())
	e.Out = nil
	require.Equal(t, "(198.51.100.1, 233.252.0.1) eth0 >", e.String())
	require.True(t, e.Negative())
}

// Packets that came elsewhere are told apart; of bytes the kernel knows the sum alone.
func TestEntryHasTheKernelsCounts(t *testing.T) {
	b := newBench(t, RouterConfig{})
	b.out[documented.Group] = []Out{{Interface: "out0"}}
	b.packet(0, documented)
	b.kernel.counters[documented] = RouteCounters{Packets: 12, Bytes: 1200, WrongIf: 2}
	s := b.status(b.now)
	require.Len(t, s.Entries, 1)
	e := s.Entries[0]
	require.Equal(t, [...]uint64{10, 1200, 2}, [...]uint64{e.Packets, e.Bytes, e.WrongIf})
	require.False(t, e.Negative())
}
