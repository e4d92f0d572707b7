package igmp

import (
	"encoding"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// packetOutMessage is the method set that libOpenflow's packet builders ask of a payload.
type packetOutMessage interface {
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
	Len() uint16
}

var (
	_ packetOutMessage = (*Query)(nil)
	_ packetOutMessage = (*ReportV1)(nil)
	_ packetOutMessage = (*ReportV2)(nil)
	_ packetOutMessage = (*Leave)(nil)
	_ packetOutMessage = (*ReportV3)(nil)
	_ packetOutMessage = (*Other)(nil)
)

// hostHeader is the Header that a frame was sent with.
func hostHeader(v *View) Header {
	return Header{
		EthSrc: v.EthSrc, EthDst: v.EthDst, VLANs: v.VLANs(),
		Src: v.Src, Dst: v.Dst, TTL: v.TTL, TOS: v.TOS, ID: v.ID,
	}
}

// Linux and smcroute wrote the frames; ours must not differ in a bit.
func TestEncodingReproducesTheFramesOfRealHosts(t *testing.T) {
	var whole, payloadOnly int
	for name := range hostCaptures {
		for i, frame := range packets(t, name) {
			var d Decoder
			v, err := d.Frame(frame.Data)
			require.NoError(t, err)
			m := v.Message()
			if v.TOS != 0 {
				got, err := AppendFrame(nil, hostHeader(v), m)
				require.NoError(t, err)
				require.Equal(t, frame.Data, got, "%s: packet %d", name, i+1)
				whole++
				continue
			}
			// Router discovery and hand-made v1 queries have TOS 0 and no Router Alert, which is not sent from here.
			got, err := m.MarshalBinary()
			require.NoError(t, err)
			require.Equal(t, v.Payload(), got, "%s: packet %d", name, i+1)
			payloadOnly++
		}
	}
	require.Equal(t, 3306, whole)
	require.Equal(t, 8, payloadOnly)
}

// Hosts and queriers send to where Destination says. The Linux bridge alone sends the query after a v2 leave to
// 224.0.0.1.
func TestDestinationIsTheOneThatRealHostsUse(t *testing.T) {
	for name := range hostCaptures {
		for i, frame := range packets(t, name) {
			var d Decoder
			v, err := d.Frame(frame.Data)
			require.NoError(t, err)
			if v.Type == TypeQuery && v.Dst == allSystems && v.Group != unspecifiedV4 {
				continue
			}
			dst, err := Destination(v.Message())
			require.NoError(t, err)
			require.Equal(t, v.Dst, dst, "%s: packet %d", name, i+1)
			mac, err := GroupMAC(dst)
			require.NoError(t, err)
			require.Equal(t, v.EthDst, mac, "%s: packet %d", name, i+1)
		}
	}
}

func TestMessagesEncodeToTheGivenBytes(t *testing.T) {
	group := addr("233.252.0.1")
	for _, c := range []struct {
		m    Message
		want string
	}{
		{&Query{Version: 1, Group: unspecifiedV4}, "1100eeff00000000"},
		{&Query{Version: 1, Group: unspecifiedV4, MaxResp: maxRespV1}, "1100eeff00000000"},
		{&Query{Version: 2, Group: unspecifiedV4, MaxResp: 10 * time.Second}, "1164ee9b00000000"},
		{&Query{Version: 3, Group: unspecifiedV4, QRV: 2, QQI: 125 * time.Second}, "1100ec8200000000027d0000"},
		{
			// The count is the list's; there is no other.
			&Query{Version: 3, Group: group, MaxResp: time.Second, QRV: 2, QQI: 125 * time.Second,
				Sources: addrs("198.51.100.1", "198.51.100.2", "198.51.100.3")},
			"110a83d5e9fc0001027d0003c6336401c6336402c6336403",
		},
		{&ReportV1{Group: group}, "12000402e9fc0001"},
		{&ReportV2{Group: group}, "16000002e9fc0001"},
		{&ReportV3{Records: []Record{{Type: ToEx, Group: group}}}, "2200f0000000000104000000e9fc0001"},
		{&ReportV3{Records: []Record{{Type: ToIn, Group: group}}}, "2200f1000000000103000000e9fc0001"},
		{&Other{MessageType: TypeRouterSolicitation}, "3100ceff"},
	} {
		got, err := c.m.MarshalBinary()
		require.NoError(t, err)
		require.Equal(t, unhex(t, c.want), got)
		require.Equal(t, uint16(len(got)), c.m.Len())
	}
}

func TestQuerierRobustnessOver7IsNotTold(t *testing.T) {
	for qrv, want := range map[uint8]byte{0: 0, 2: 2, 7: 7, 8: 0, 255: 0} {
		b, err := (&Query{Version: 3, Group: unspecifiedV4, QRV: qrv, SuppressRouter: true}).MarshalBinary()
		require.NoError(t, err)
		require.Equal(t, flagSuppress|want, b[offFlags])
	}
}

func TestAuxiliaryDataIsNeverSent(t *testing.T) {
	m, err := Parse(unhex(t, "220064620000000204010000e9fc0001deadbeef04000000e9fc0002"))
	require.NoError(t, err)
	require.Equal(t, uint16(24), m.Len())
	b, err := m.MarshalBinary()
	require.NoError(t, err)
	require.Equal(t, unhex(t, "220002010000000204000000e9fc000104000000e9fc0002"), b)
}

func TestIPv4MappedAddressesEncodeAsIPv4(t *testing.T) {
	mapped := addr("::ffff:233.252.0.1")
	b, err := (&ReportV2{Group: mapped}).MarshalBinary()
	require.NoError(t, err)
	require.Equal(t, unhex(t, "16000002e9fc0001"), b)

	plain := &ReportV3{Records: []Record{{Type: Allow, Group: addr("233.252.0.1"), Sources: addrs("198.51.100.1")}}}
	same := &ReportV3{Records: []Record{{Type: Allow, Group: mapped, Sources: addrs("::ffff:198.51.100.1")}}}
	want, err := AppendFrame(nil, Header{EthSrc: MAC{2}, Src: addr("192.0.2.1")}, plain)
	require.NoError(t, err)
	got, err := AppendFrame(nil, Header{EthSrc: MAC{2}, Src: addr("::ffff:192.0.2.1"), Dst: addr("::ffff:224.0.0.22")}, same)
	require.NoError(t, err)
	require.Equal(t, want, got)

	dst, err := Destination(&Query{Version: 3, Group: addr("::ffff:0.0.0.0")})
	require.NoError(t, err)
	require.Equal(t, allSystems, dst)
}

func TestAppendingKeepsWhatWasThere(t *testing.T) {
	for _, bm := range benchMessages() {
		b, err := bm.m.AppendBinary([]byte("before"))
		require.NoError(t, err)
		want, err := bm.m.MarshalBinary()
		require.NoError(t, err)
		require.Equal(t, slices.Concat([]byte("before"), want), b)

		b, err = AppendFrame([]byte("before"), benchHeader, bm.m)
		require.NoError(t, err)
		want, err = AppendFrame(nil, benchHeader, bm.m)
		require.NoError(t, err)
		require.Equal(t, slices.Concat([]byte("before"), want), b)

		b, err = AppendPacket(nil, benchHeader, bm.m)
		require.NoError(t, err)
		require.Equal(t, want[ethHeader:], b)
	}
}

func TestUnmarshalTakesItsOwnTypeOnly(t *testing.T) {
	messages := map[Type]func() Message{
		TypeQuery:              func() Message { return &Query{Version: 9} },
		TypeReportV1:           func() Message { return &ReportV1{Group: addr("192.0.2.9")} },
		TypeReportV2:           func() Message { return &ReportV2{Group: addr("192.0.2.9")} },
		TypeLeave:              func() Message { return &Leave{Group: addr("192.0.2.9")} },
		TypeReportV3:           func() Message { return &ReportV3{Records: make([]Record, 3)} },
		TypeRouterSolicitation: func() Message { return &Other{Body: []byte{9}} },
	}
	for of := range messages {
		b := make([]byte, queryV3)
		b[0] = byte(of)
		setChecksum(b, offChecksum)
		for into, blank := range messages {
			m := blank()
			err := m.UnmarshalBinary(b)
			if of == into {
				require.NoError(t, err)
				want, err := Parse(b)
				require.NoError(t, err)
				require.Equal(t, want, m)
				continue
			}
			require.ErrorIs(t, err, ErrType, "%v into %v", of, into)
			require.Equal(t, blank(), m, "a failed read leaves the receiver alone")
		}
	}
	for _, blank := range messages {
		m := blank()
		require.ErrorIs(t, m.UnmarshalBinary(nil), ErrTooShort)
		require.Equal(t, blank(), m)
	}
}
