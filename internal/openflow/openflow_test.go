package openflow_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

func TestHeaderIsEightBytesInNetworkOrder(t *testing.T) {
	h := openflow.Header{Version: 6, Type: openflow.TypeGroupMod, Length: 0x1234, XID: 0x89abcdef}
	b := openflow.AppendHeader([]byte{0xaa}, h)
	require.Equal(t, []byte{0xaa, 6, 15, 0x12, 0x34, 0x89, 0xab, 0xcd, 0xef}, b)
	got, err := openflow.ParseHeader(b[1:])
	require.NoError(t, err)
	require.Equal(t, h, got)
	openflow.PutXID(b[1:], 7)
	require.Equal(t, []byte{0xaa, 6, 15, 0x12, 0x34, 0, 0, 0, 7}, b)
}

func TestHeadersThatCannotBeFollowedAreRefused(t *testing.T) {
	for n := range openflow.HeaderLen {
		_, err := openflow.ParseHeader(make([]byte, n))
		require.ErrorIs(t, err, openflow.ErrShort)
	}
	for length := range byte(openflow.HeaderLen) {
		_, err := openflow.ParseHeader([]byte{6, 0, 0, length, 0, 0, 0, 1})
		require.ErrorIs(t, err, openflow.ErrLength)
	}
	_, err := openflow.ParseHeader([]byte{6, 0, 0, 8, 0, 0, 0, 1})
	require.NoError(t, err)
}

func TestNarrowTellsWhatDoesNotFit(t *testing.T) {
	for _, n := range []int{0, 1, 255} {
		v, ok := openflow.Narrow[uint8](n)
		require.True(t, ok)
		require.Equal(t, n, int(v))
	}
	for _, n := range []int{-1, 256, 65535, 65536, math.MaxInt} {
		_, ok := openflow.Narrow[uint8](n)
		require.False(t, ok, n)
	}
	for _, n := range []int{0, 256, 65535} {
		v, ok := openflow.Narrow[uint16](n)
		require.True(t, ok)
		require.Equal(t, n, int(v))
	}
	for _, n := range []int{-1, 65536, 131071, math.MinInt} {
		_, ok := openflow.Narrow[uint16](n)
		require.False(t, ok, n)
	}
}

// Headers as Open vSwitch writes them.
func TestOXMHeaders(t *testing.T) {
	for _, c := range []struct {
		class          uint16
		field          uint8
		n              int
		header, masked openflow.OXM
	}{
		{openflow.ClassNXM1, 0, 4, 0x00010004, 0x00010108},       // reg0
		{openflow.ClassNXM1, 111, 16, 0x0001de10, 0x0001df20},    // xxreg0
		{openflow.ClassPacketRegs, 0, 8, 0x80010008, 0x80010110}, // xreg0
		{openflow.ClassBasic, 38, 8, 0x80004c08, 0x80004d10},     // tun_id
		{openflow.ClassNXM0, 0, 2, 0x00000002, 0x00000104},       // in_port
		{openflow.ClassNXM1, 110, 16, 0x0001dc10, 0x0001dd20},    // tun_ipv6_dst
	} {
		h := openflow.NewOXM(c.class, c.field, c.n)
		require.Equal(t, c.header, h)
		require.Equal(t, c.field, h.Field())
		require.Equal(t, c.masked, h.Masked())
		require.Equal(t, c.masked, h.Masked().Masked())
		require.Equal(t, c.header, c.masked.Unmasked())
		require.Equal(t, c.header, c.header.Unmasked())
		require.False(t, h.HasMask())
		require.True(t, c.masked.HasMask())
		require.Equal(t, c.n, h.ValueLen())
		require.Equal(t, c.n, c.masked.ValueLen())
		require.Equal(t, 2*c.n, c.masked.Len())
	}
}

func TestErrorNames(t *testing.T) {
	for name, e := range map[string][2]uint16{
		"OFPHFC_INCOMPATIBLE":                {0, 0},
		"OFPBRC_BAD_LEN":                     {1, 6},
		"OFPBAC_BAD_SET_ARGUMENT":            {2, 15},
		"OFPFMFC_IS_SYNC":                    {5, 10},
		"OFPGMFC_BUCKET_EXISTS":              {6, 16},
		"OFPTFFC_EPERM":                      {13, 5},
		"OFPET_TABLE_FEATURES_FAILED code 3": {13, 3},
		"OFPBPC_BAD_EXP_VALUE":               {14, 7},
		"OFPBFC_MSG_FAILED":                  {17, 13},
		"OFPET_BUNDLE_FAILED code 99":        {17, 99},
		"error type 18 code 0":               {18, 0},
		"OFPET_EXPERIMENTER code 2300":       {0xffff, 2300},
	} {
		require.Equal(t, name, openflow.ErrorName(e[0], e[1]))
	}
}
