package mroute

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
)

// What the kernel says of an entry in a bit of its own; the numbers are those of linux/rtnetlink.h.
func TestFlagsOfARouteAreRead(t *testing.T) {
	littleEndian(t)
	read := func(change func(b []byte)) KernelRoute {
		b := unhex(t, routeHex)
		change(b)
		r, err := parseRoute(b)
		require.NoError(t, err)
		return r
	}
	plain := read(func([]byte) {})
	require.False(t, plain.Offloaded || plain.Static || plain.Unresolved)

	want := plain
	want.Offloaded = true
	require.Equal(t, want, read(func(b []byte) { b[8] |= 0x08 }), "RTNH_F_OFFLOAD")
	want = plain
	want.Unresolved = true
	require.Equal(t, want, read(func(b []byte) { b[8] |= 0x20 }), "RTNH_F_UNRESOLVED")
	want = plain
	want.Static = true
	require.Equal(t, want, read(func(b []byte) { b[5] = 4 }), "RTPROT_STATIC")
}

// The numbers are those of linux/mroute.h, but for VIFF_STATIC, which the kernel keeps in mroute_base.h.
func TestFlagsOfAVIFAreRead(t *testing.T) {
	littleEndian(t)
	for flags, want := range map[uint16]KernelVIF{
		0x0001: {Port: Port{0, 3}},                 // VIFF_TUNNEL
		0x0004: {Port: Port{0, 3}, Register: true}, // VIFF_REGISTER
		0x8000: {Port: Port{0, 3}, Static: true},   // VIFF_STATIC
	} {
		b := unhex(t, vifsHex)
		at := bytes.Index(b, []byte{6, 0, 3, 0, 8, 0, 0, 0}) // the first VIF's IPMRA_VIFA_FLAGS
		require.Positive(t, at)
		binary.LittleEndian.PutUint16(b[at+4:], flags)
		got, err := parseVIFs(b, 253)
		require.NoError(t, err)
		require.Equal(t, want, got[0])
	}
}
