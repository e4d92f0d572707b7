package mroute

import (
	"encoding/binary"
	"net/netip"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// The layouts of linux/mroute.h and linux/in.h, as a C compiler lays them out.
func TestStructuresAreLaidOutAsTheKernelReadsThem(t *testing.T) {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		t.Skip("the bytes below are little-endian")
	}
	require.Equal(t, unhex(t, "1f000801"+"00000000"+"2a010000"+"00000000"), vifctl(31, viffUseIfindex, 298))

	var out ttls
	out[0], out[31] = 1, 254
	b := mfcctl(documented.key(), 3, out)
	require.Equal(t, unhex(t, "c6336401"+"e9fc0001"+"0300"+"01"), b[:11])
	require.Equal(t, byte(254), b[41])
	require.Equal(t, make([]byte, 18), b[42:])

	p := place{index: 7, group: documented.Group}
	word := strconv.IntSize / 8
	require.Len(t, groupReq(p), word+128)
	require.Equal(t, unhex(t, "07000000"), groupReq(p)[:4])
	require.Equal(t, unhex(t, "02000000e9fc0001"), groupReq(p)[word:word+8])
	require.Len(t, groupSourceReq(p, documented.Source), word+256)
	require.Equal(t, unhex(t, "02000000c6336401"), groupSourceReq(p, documented.Source)[word+128:][:8])

	list := groupFilter(p, Filter{Exclude: true, Sources: []netip.Addr{documented.Source}})
	require.Len(t, list, word+128+8+128)
	require.Equal(t, unhex(t, "00000000"+"01000000"+"02000000c6336401"), list[word+128:][:16])
	require.Equal(t, unhex(t, "01000000"+"00000000"), groupFilter(p, Filter{})[word+128:])
}
