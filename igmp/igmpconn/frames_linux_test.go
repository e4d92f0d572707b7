package igmpconn_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"net"
	"net/netip"
	"testing"

	"github.com/mdlayher/packet"
	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/igmp/igmpconn"
	"github.com/ofmcast/ofmcast/internal/ovslab"
)

// What another machine puts on the wire is read as it was, tags included, and nothing else is.
func TestFramesComeAsTheyWereOnTheWire(t *testing.T) {
	us := startLab(t).Host("us")
	pair(t, us)
	conn := listen(t, us, "v0", igmpconn.Config{})
	all := listen(t, us, "v0", igmpconn.Config{All: true})
	wanted := [][]byte{
		tagged(t), tagged(t, igmp.VLAN{ID: 10, Priority: 6}), tagged(t, igmp.VLAN{}),
		tagged(t, igmp.VLAN{TPID: 0x88a8, ID: 100}, igmp.VLAN{ID: 10}),
		unhex(t, "01005e00000d"+"0200000000aa"+"0800"+"45c000180000400001677f8dc0000201e000000d"+"2000dfff"),
	}
	udp := unhex(t, "01005e010101"+"0200000000aa"+"0800"+"45000020000040000111000000000000ef010101"+"138913890000")
	inject(t, us, "v1", append([][]byte{udp}, wanted...)...)
	next := 0
	readUntil(t, conn, func(f igmpconn.Frame) bool {
		require.Equal(t, hex.EncodeToString(wanted[next]), hex.EncodeToString(f.Data), "frame %d", next)
		next++
		return next == len(wanted)
	})
	readUntil(t, all, func(f igmpconn.Frame) bool { return bytes.Equal(udp, f.Data) })
}

// inject sends frames as they are. A switch between would change the order and take off tags of VLAN 0.
func inject(t *testing.T, host *ovslab.Host, name string, frames ...[]byte) {
	t.Helper()
	require.NoError(t, host.Do(func() error {
		ifi, err := net.InterfaceByName(name)
		if err != nil {
			return err
		}
		conn, err := packet.Listen(ifi, packet.Raw, 0, nil)
		if err != nil {
			return err
		}
		for _, f := range frames {
			_, fault := conn.WriteTo(f, &packet.Addr{HardwareAddr: f[:6]})
			err = errors.Join(err, fault)
		}
		return errors.Join(err, conn.Close())
	}))
}

// The kernel would give these a source, and would not send the tag.
func TestProxyQueriesAndTaggedOnesGoOutAsTheyAre(t *testing.T) {
	lab := startLab(t, ovslab.HostConfig{Name: "peer"})
	us := lab.Host("us")
	conn := listen(t, us, "eth0", igmpconn.Config{})
	peer := listen(t, lab.Host("peer"), "eth0", igmpconn.Config{})
	for name, h := range map[string]igmp.Header{
		"proxy":   {EthSrc: mac(t, us), Src: netip.IPv4Unspecified()},
		"in VLAN": {EthSrc: mac(t, us), Src: us.Addr(), VLANs: []igmp.VLAN{{ID: 10}}},
		"both":    {EthSrc: mac(t, us), Src: netip.IPv4Unspecified(), VLANs: []igmp.VLAN{{TPID: 0x88a8, ID: 100}, {ID: 10}}},
		"neither": {EthSrc: mac(t, us), Src: us.Addr()},
	} {
		frame := query(t, h, 3)
		require.NoError(t, conn.Send(frame), name)
		readUntil(t, peer, equals(frame))
	}
}

func TestWhatIsNoIGMPIsNotSent(t *testing.T) {
	lab := startLab(t)
	conn := listen(t, lab.Host("us"), "eth0", igmpconn.Config{})
	require.ErrorIs(t, conn.Send(nil), igmp.ErrFrameShort)
	frame := tagged(t)
	frame[len(frame)-1] ^= 1
	require.ErrorIs(t, conn.Send(frame), igmp.ErrChecksum)
}

func tagged(t *testing.T, tags ...igmp.VLAN) []byte {
	t.Helper()
	h := igmp.Header{EthSrc: igmp.MAC{2, 0, 0, 0, 0, 0xaa}, Src: netip.MustParseAddr("192.0.2.99"), VLANs: tags}
	frame, err := igmp.AppendFrame(nil, h, &igmp.ReportV2{Group: groups[0]})
	require.NoError(t, err)
	return frame
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	require.NoError(t, err)
	return b
}
