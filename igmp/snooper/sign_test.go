package snooper

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/stretchr/testify/require"
)

func addrFrom4(a [4]byte) netip.Addr { return netip.AddrFrom4(a) }

// The test's own hellos are made like the one that scapy made, frame 165 of odd.pcap.
func TestAHelloMadeByScapyIsReadLikeOurOwn(t *testing.T) {
	i := slices.IndexFunc(oddFrames, func(f struct {
		id      string
		verdict Verdict
		forward Forward
		says    string
	}) bool {
		return f.id == "pimv2-hello"
	})
	scapys := packets(t, "odd")[i].Data
	var d igmp.Decoder
	v, err := d.Frame(scapys)
	require.ErrorIs(t, err, igmp.ErrNotIGMP)
	require.True(t, isPIM(v))
	hold, verdict := readHello(v.Payload())
	require.Equal(t, AcceptedRouter, verdict)
	require.Equal(t, 105*time.Second, hold)
	require.True(t, bytes.HasSuffix(scapys, hello(querier, holdtime(105)...)[14+20:]), "the same PIM message")
}

func TestBrokenHellosMakeNoRouterPort(t *testing.T) {
	wrongSum := hello(querier, holdtime(105)...)
	wrongSum[len(wrongSum)-1] ^= 1
	for name, c := range map[string]struct {
		frame []byte
		want  Verdict
	}{
		"wrong checksum":      {wrongSum, RefusedChecksum},
		"no checksum":         {pimFrame(querier, []byte{0x20}), RefusedLength},
		"cut in an option":    {hello(querier, 0, 1, 0), RefusedLists},
		"option past the end": {hello(querier, 0, 2, 0, 3, 0, 0), RefusedLists},
		"another PIM message": {pimFrame(querier, []byte{0x23, 0, 0xdc, 0xff}), IgnoredNotIGMP},
		"PIM of version 1":    {pimFrame(querier, []byte{0x10, 0, 0xef, 0xff}), IgnoredNotIGMP},
		"nothing at all":      {pimFrame(querier, nil), IgnoredNotIGMP},
		"another protocol":    {with(hello(querier), 14+9, 17), IgnoredNotIGMP},
		"to another group":    {with(hello(querier), 14+19, 5), IgnoredNotIGMP},
		"a fragment":          {with(hello(querier), 14+6, 0x20), IgnoredNotIGMP},
	} {
		t.Run(name, func(t *testing.T) {
			s := New(Config{})
			r := s.Frame(1, c.frame, t0)
			require.Equal(t, c.want, r.Verdict, r.Verdict.String())
			require.Empty(t, routerPorts(s, 0))
			if c.want == IgnoredNotIGMP {
				require.Equal(t, ForwardAll, r.Forward, "data to 224.0.0.0/24")
			} else {
				require.Equal(t, ForwardNone, r.Forward)
			}
		})
	}
}

// with changes one byte of the frame and sets its IPv4 checksum anew.
func with(frame []byte, offset int, value byte) []byte {
	frame[offset] = value
	ip := frame[14 : 14+int(frame[14]&0xf)*4]
	ip[10], ip[11] = 0, 0
	binary.BigEndian.PutUint16(ip[10:], ^internetSum(ip))
	return frame
}

func TestAShortAdvertisementIsRefused(t *testing.T) {
	s := New(Config{})
	r := s.Frame(1, frameOf(t, querier, &igmp.Other{MessageType: igmp.TypeRouterAdvertisement, Body: make([]byte, 3)}), t0)
	require.Equal(t, RefusedLength, r.Verdict)
	require.Equal(t, ForwardNone, r.Forward)
	require.Empty(t, routerPorts(s, 0))
}

func TestInternetSum(t *testing.T) {
	// The example of RFC 1071 section 3, whose sum is ddf2.
	require.Equal(t, uint16(0xddf2), internetSum([]byte{0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7}))
	require.Equal(t, uint16(0xff00), internetSum([]byte{0xff}))
	require.Equal(t, uint16(0xffff), internetSum(bytes.Repeat([]byte{0xff}, 65535+1)))
	require.Zero(t, internetSum(nil))
}
