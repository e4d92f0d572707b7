package ovslab

import (
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// dataFrame is a packet of a stream as a host sends it, with four bytes of IP
// options and padding behind.
func dataFrame(payload []byte) []byte {
	f := make([]byte, 12, 80)
	f = append(f, 0x08, 0x00)
	f = append(f, 0x46, 0, 0, byte(24+8+len(payload)), 0, 1, 0x40, 0, 8, 17, 0, 0, 192, 0, 2, 1, 233, 252, 0, 1, 0x94, 4, 0, 0)
	f = append(f, 0x12, 0x34, 5000>>8, 5000&0xff, 0, byte(8+len(payload)), 0, 0)
	return append(append(f, payload...), 0, 0, 0)
}

func TestAStreamsPacketIsFoundInItsFrame(t *testing.T) {
	at := time.Unix(5, 6)
	src, dst, payload, ok := streamFrame(dataFrame(appendPacket(nil, 7, 8, at)))
	require.True(t, ok)
	require.Equal(t, netip.MustParseAddr("192.0.2.1"), src)
	require.Equal(t, netip.MustParseAddr("233.252.0.1"), dst)
	id, seq, sent, ok := parsePacket(payload)
	require.True(t, ok)
	require.Equal(t, []uint32{7, 8}, []uint32{id, seq})
	require.Equal(t, at, sent)
}

func TestOtherFramesAreNoPacketsOfAStream(t *testing.T) {
	whole := dataFrame(appendPacket(nil, 7, 8, time.Unix(5, 6)))
	for n := range len(whole) - 3 {
		_, _, _, ok := streamFrame(whole[:n:n])
		require.False(t, ok, "cut to %d", n)
	}
	for what, change := range map[string]struct {
		at int
		to byte
	}{
		"an ARP frame": {13, 0x06}, "IP version 6": {14, 0x66}, "too short a header": {14, 0x44},
		"less than its headers": {17, 27}, "a later fragment": {21, 1}, "a first fragment": {20, 0x20},
		"TCP": {23, 6}, "another port": {41, 0},
	} {
		frame := slices.Clone(whole)
		frame[change.at] = change.to
		_, _, _, ok := streamFrame(frame)
		require.False(t, ok, what)
	}
	_, _, _, ok := parsePacket(appendPacket(nil, 7, 8, time.Unix(5, 6))[1:])
	require.False(t, ok)
	_, _, _, ok = parsePacket(make([]byte, streamLength))
	require.False(t, ok)
}

func TestARecorderKeepsNoMoreThanItSays(t *testing.T) {
	r := recorder[int]{items: make([]int, maxRecorded-1), changed: make(chan struct{})}
	r.add(1)
	require.Zero(t, r.Lost())
	r.add(2)
	require.Equal(t, 1, r.Lost())
	require.Len(t, r.recorded(), maxRecorded)
	require.Equal(t, 1, r.recorded()[maxRecorded-1])
}
