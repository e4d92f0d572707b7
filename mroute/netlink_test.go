package mroute

import (
	"encoding/binary"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
)

// Bodies of messages that Linux 6.18 sent: a route with a threshold, a negative entry, any source, and a table's VIFs.
const (
	routeHex = "80202000fd1100050000000008000f00fd00000008000200c633640108000100e9fc000108000300030000000c00090008000003" +
		"050000001c0011000000000000000000000000000000000000000000000000000c0017000300000000000000"
	negativeHex = "80202000fd1100050000000008000f00fd00000008000200c633640108000100e9fc00020800030005000000040009001c0011000000" +
		"000000000000000000000000000000000000000000000c0017000300000000000000"
	anySourceHex = "80202000fd1100050000000008000f00fd000000080002000000000008000100e9fc00030800030005000000140009000800000103000000" +
		"08000001050000001c0011000000000000000000000000000000000000000000000000000c0017000300000000000000"
	vifsHex = "80000000000000000000000000000000f0001a0008000100fd000000080002000000000008000300ffffffff050004000000000005000500" +
		"000000000500070000000000bc0006005c0001000800010003000000080002000000000006000300080000000c0004000000000000000000" +
		"0c00050000000000000000000c00060000000000000000000c0007000000000000000000080008000300000008000900000000005c000100" +
		"0800010005000000080002000100000006000300080000000c00040000000000000000000c00050000000000000000000c00060000000000" +
		"000000000c000700000000000000000008000800050000000800090000000000"
)

func littleEndian(t testing.TB) {
	t.Helper()
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		t.Skip("the bytes are from a little-endian kernel")
	}
}

func TestRoutesOfTheKernelAreRead(t *testing.T) {
	littleEndian(t)
	const tick = 3 * clockTick
	at := func(i IfIndex) Port { return Port{NoVIF, i} }
	for _, c := range []struct {
		hex  string
		want KernelRoute
	}{
		{routeHex, KernelRoute{SG: documented, Table: 253, In: at(3), Out: []KernelHop{{at(5), 3}}, Idle: tick}},
		{negativeHex, KernelRoute{SG: SG{documented.Source, group2}, Table: 253, In: at(5), Out: []KernelHop{}, Idle: tick}},
		{anySourceHex, KernelRoute{
			SG: SG{netip.IPv4Unspecified(), netip.MustParseAddr("233.252.0.3")}, Table: 253,
			In: at(5), Out: []KernelHop{{at(3), 1}, {at(5), 1}}, Idle: tick,
		}},
	} {
		got, err := parseRoute(unhex(t, c.hex))
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
}

func TestVIFsOfTheKernelAreRead(t *testing.T) {
	littleEndian(t)
	got, err := parseVIFs(unhex(t, vifsHex), 253)
	require.NoError(t, err)
	require.Equal(t, []KernelVIF{{Port: Port{0, 3}}, {Port: Port{1, 5}}}, got)
	got, err = parseVIFs(unhex(t, vifsHex), 254)
	require.NoError(t, err)
	require.Empty(t, got, "another table")
}

// What is cut off is an error, or at an attribute's end a shorter message; never a panic, never a wrong number.
func TestMessagesCutOffAnywhereAreSafe(t *testing.T) {
	littleEndian(t)
	whole, err := parseRoute(unhex(t, anySourceHex))
	require.NoError(t, err)
	for n := range len(unhex(t, anySourceHex)) {
		k, err := parseRoute(unhex(t, anySourceHex)[:n])
		if err != nil {
			require.ErrorIs(t, err, ErrMalformed)
			require.Equal(t, KernelRoute{}, k)
			continue
		}
		require.Equal(t, whole.SG, k.SG)
	}
	for n := range len(unhex(t, vifsHex)) {
		if _, err := parseVIFs(unhex(t, vifsHex)[:n], 253); err != nil {
			require.ErrorIs(t, err, ErrMalformed)
		}
	}
}

func TestMessagesAboutOtherThingsAreRefused(t *testing.T) {
	for _, s := range []string{"", "80", "02202000fd11000500000000", "81202000fd11000500000000", "80202000fd11000500000000"} {
		_, err := parseRoute(unhex(t, s))
		require.ErrorIs(t, err, ErrMalformed)
	}
	_, err := parseVIFs(unhex(t, "00000000000000000000000000000000"), 253)
	require.ErrorIs(t, err, ErrMalformed)
}

// Nexthops whose lengths lie.
func TestNexthopsOfWrongLengthsAreRefused(t *testing.T) {
	littleEndian(t)
	for _, s := range []string{"08", "0700000105000000", "0900000105000000", "0000000105000000", "080000010500000008"} {
		var k KernelRoute
		require.ErrorIs(t, k.nexthops(unhex(t, s)), ErrMalformed, s)
	}
}

func FuzzParseNetlink(f *testing.F) {
	for _, s := range []string{routeHex, negativeHex, anySourceHex, vifsHex} {
		f.Add(unhex(f, s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if k, err := parseRoute(b); err == nil {
			require.True(t, k.Source.Is4() && k.Group.Is4())
			require.GreaterOrEqual(t, k.Idle, clockTick*0)
			require.LessOrEqual(t, len(k.Out), len(b)/nexthopLen)
			_ = k.Route()
		}
		if vifs, err := parseVIFs(b, 253); err == nil {
			require.LessOrEqual(t, len(vifs), len(b)/4)
		}
	})
}
