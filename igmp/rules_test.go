package igmp

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// withChecksum returns the payload with bytes set and a right checksum.
func withChecksum(p []byte, set map[int]byte) []byte {
	p = slices.Clone(p)
	for at, b := range set {
		p[at] |= b
	}
	p[offChecksum], p[offChecksum+1] = 0, 0
	setChecksum(p, offChecksum)
	return p
}

// What is reserved now may mean something one day: it is read over, and sent as zero.
func TestReservedBitsAreIgnoredAndSentAsZero(t *testing.T) {
	group := addr("233.252.0.1")
	for name, c := range map[string]struct {
		m        Message
		reserved map[int]byte
	}{
		"code of a v1 report":                  {&ReportV1{Group: group}, map[int]byte{offCode: 0xff}},
		"code of a v2 report":                  {&ReportV2{Group: group}, map[int]byte{offCode: 0xff}},
		"code of a leave":                      {&Leave{Group: group}, map[int]byte{offCode: 0xff}},
		"flags beside S of a v3 query":         {&Query{Version: 3, Group: group}, map[int]byte{offFlags: 0xf0}},
		"reserved byte and flags of a report":  {&ReportV3{Records: []Record{{Type: ToEx, Group: group}}}, map[int]byte{offCode: 0xff, 4: 0xff, 5: 0xff}},
		"reserved parts of a report of nobody": {&ReportV3{}, map[int]byte{offCode: 1, 4: 1, 5: 1}},
	} {
		zero, err := c.m.MarshalBinary()
		require.NoError(t, err, name)
		for at, bits := range c.reserved {
			require.Zero(t, zero[at]&bits, name)
		}
		m, err := Parse(withChecksum(zero, c.reserved))
		require.NoError(t, err, name)
		require.Equal(t, c.m, m, name)
	}
}

// A later version may put more there. It counts in the checksum and means nothing.
func TestBytesBehindTheLastSourceCountInTheChecksumAlone(t *testing.T) {
	q := &Query{Version: 3, Group: addr("233.252.0.1"), MaxResp: tenth, Sources: addrs("198.51.100.1")}
	b, err := q.MarshalBinary()
	require.NoError(t, err)
	require.Len(t, b, queryV3+addrLen, "none are sent")

	longer := append(slices.Clone(b), 0xc6, 0x33, 0x64, 0x02, 0x09)
	_, err = Parse(longer)
	require.ErrorIs(t, err, ErrChecksum)
	m, err := Parse(withChecksum(longer, nil))
	require.NoError(t, err)
	require.Equal(t, q, m)
}

// None of IGMP is without an address to be sent to, a time to live of one hop, the precedence of routing and the option
// that makes routers look.
func TestEveryMessageTravelsAsIGMP(t *testing.T) {
	for _, bm := range benchMessages() {
		frame, err := AppendFrame(nil, benchHeader, bm.m)
		require.NoError(t, err)
		var d Decoder
		v, err := d.Frame(frame)
		require.NoError(t, err)
		require.Equal(t, uint8(protocolIGMP), v.Protocol, bm.name)
		require.Equal(t, uint8(1), v.TTL, bm.name)
		require.Equal(t, uint8(0xc0), v.TOS, bm.name)
		require.True(t, v.RouterAlert, bm.name)
		require.True(t, v.Dst.IsMulticast(), bm.name)
		require.False(t, v.Fragment, bm.name)
	}
}
