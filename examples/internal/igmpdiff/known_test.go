package igmpdiff

import (
	"bytes"
	"encoding/binary"
	"errors"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/igmp"
)

// excused says whether it is known that gopacket alone accepts the frame that package igmp refuses with err.
func excused(frame []byte, err error) bool {
	switch {
	case errors.Is(err, igmp.ErrIPChecksum), errors.Is(err, igmp.ErrChecksum), errors.Is(err, igmp.ErrRecords),
		errors.Is(err, igmp.ErrSources), errors.Is(err, igmp.ErrVLANDepth):
		return true
	}
	packet := packetIn(frame)
	if len(packet) < 20 {
		return false
	}
	header, total := int(packet[0]&0x0f)*4, int(binary.BigEndian.Uint16(packet[2:]))
	switch {
	case errors.Is(err, igmp.ErrNotIPv4):
		return bytes.HasSuffix(frame[:len(frame)-len(packet)], []byte{0xff, 0xff})
	case errors.Is(err, igmp.ErrIPHeader):
		return packet[0]>>4 != 4
	case errors.Is(err, igmp.ErrIPLength):
		return total == 0 || total > len(packet)
	case errors.Is(err, igmp.ErrTooShort):
		return len(packet) > header && igmp.Type(packet[header]) == igmp.TypeReportV3
	}
	return false
}

// level makes equal what is known to differ.
func level(us, them *facts, code, qqic uint8) {
	if us.Version == 3 {
		them.Version = 3
	}
	if us.Version == 1 || code > 127 {
		them.MaxResp = us.MaxResp
	}
	if qqic <= 127 {
		them.QQI *= 10
	} else {
		them.QQI = us.QQI
	}
}

var h = igmp.Header{EthSrc: igmp.MAC{2, 0, 0, 0, 0, 1}, Src: netip.MustParseAddr("192.0.2.1")}

func frameOf(t *testing.T, m igmp.Message) []byte {
	t.Helper()
	frame, err := igmp.AppendFrame(nil, h, m)
	require.NoError(t, err)
	return frame
}

var (
	group  = netip.MustParseAddr("233.252.0.1")
	source = netip.MustParseAddr("198.51.100.1")
	join   = &igmp.ReportV3{Records: []igmp.Record{{Type: igmp.ToEx, Group: group}, {Type: igmp.ToEx, Group: group.Next()}}}
)

// offIP and offIGMP are where the parts of an untagged frame with Router Alert begin.
const offIP, offIGMP = 14, 38

func TestGopacketAloneAccepts(t *testing.T) {
	for _, c := range []struct {
		what string
		m    igmp.Message
		hurt func(frame []byte) []byte
		err  error
	}{
		{"a wrong IPv4 checksum", join, change(offIP+10, 1), igmp.ErrIPChecksum},
		{"a wrong IGMP checksum", join, change(offIGMP+2, 1), igmp.ErrChecksum},
		{"records that do not fit", join, change(offIGMP+7, 3^2), igmp.ErrRecords},
		{"sources that do not fit", &igmp.Query{Version: 3, Group: group, Sources: []netip.Addr{source}}, change(offIGMP+11, 3^1), igmp.ErrSources},
		{"a report cut in its header", &igmp.Other{MessageType: 0x31}, change(offIGMP, 0x31^0x22), igmp.ErrTooShort},
		{"a total length of 0", join, change(offIP+3, 48), igmp.ErrIPLength},
		{"a total length past the end", join, change(offIP+2, 1), igmp.ErrIPLength},
		{"IP version 5", join, change(offIP, 0x10), igmp.ErrIPHeader},
		{"EtherType 0xffff", join, etherType(0xffff), igmp.ErrNotIPv4},
		{"three tags", join, tagged, igmp.ErrVLANDepth},
	} {
		frame := c.hurt(frameOf(t, c.m))
		if !errors.Is(c.err, igmp.ErrIPChecksum) && !errors.Is(c.err, igmp.ErrChecksum) {
			frame = repaired(frame)
		}
		_, err := ours(frame)
		require.ErrorIs(t, err, c.err, c.what)
		require.NotNil(t, theirs(frame), c.what)
		require.True(t, excused(frame, err), c.what)
	}
}

func change(offset int, bits byte) func([]byte) []byte {
	return func(frame []byte) []byte {
		frame[offset] ^= bits
		return frame
	}
}

func etherType(t uint16) func([]byte) []byte {
	return func(frame []byte) []byte {
		binary.BigEndian.PutUint16(frame[12:], t)
		return frame
	}
}

func tagged(frame []byte) []byte {
	tag := []byte{0x81, 0, 0, 7}
	tags := append(append(append([]byte{}, tag...), tag...), tag...)
	return append(append(append([]byte{}, frame[:12]...), tags...), frame[12:]...)
}

func TestPackageIgmpAloneAcceptsOtherTypes(t *testing.T) {
	frame := frameOf(t, &igmp.Other{MessageType: igmp.TypeRouterAdvertisement, Body: []byte{0, 125, 0, 2}})
	us, err := ours(frame)
	require.NoError(t, err)
	require.Equal(t, igmp.TypeRouterAdvertisement, us.Type)
	require.Nil(t, theirs(frame))
}

func TestGopacketSaysSomethingElseOf(t *testing.T) {
	query := func(version uint8, resp time.Duration, qqi time.Duration) []byte {
		return frameOf(t, &igmp.Query{Version: version, Group: group, MaxResp: resp, QQI: qqi})
	}
	for _, c := range []struct {
		what         string
		frame        []byte
		of           func(*facts) any
		ours, theirs any
	}{
		{"a v3 time over 12.7 s", query(3, 15200*time.Millisecond, 0), maxResp, 15200 * time.Millisecond, time.Duration(0)},
		{"a v2 time over 12.7 s", query(2, 20*time.Second, 0), maxResp, 20 * time.Second, time.Duration(0)},
		{"a v1 time", query(1, 0, 0), maxResp, 10 * time.Second, time.Duration(0)},
		{"the query interval", query(3, 0, 125*time.Second), func(f *facts) any { return f.QQI }, 125 * time.Second, 12500 * time.Millisecond},
		{"version 3", frameOf(t, join), func(f *facts) any { return f.Version }, uint8(3), uint8(0)},
	} {
		us, err := ours(c.frame)
		require.NoError(t, err, c.what)
		require.Equal(t, c.ours, c.of(us), c.what)
		require.Equal(t, c.theirs, c.of(theirs(c.frame)), c.what)
	}
}

func maxResp(f *facts) any { return f.MaxResp }
