package snooper

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/hex"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/internal/pcap"
	"github.com/stretchr/testify/require"
)

var (
	t0 = time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)

	hostMAC = igmp.MAC{2, 0, 0, 0, 0, 1}
	host    = addr("192.0.2.1")
	querier = addr("192.0.2.254")
	group   = addr("239.1.1.1")
	nobody  = addr("0.0.0.0")
)

func addr(s string) netip.Addr { return netip.MustParseAddr(s) }

func addrs(list ...string) []netip.Addr {
	var out []netip.Addr
	for _, s := range list {
		out = append(out, addr(s))
	}
	return out
}

func after(d time.Duration) time.Time { return t0.Add(d) }

func unhex(tb testing.TB, s string) []byte {
	tb.Helper()
	b, err := hex.DecodeString(s)
	require.NoError(tb, err)
	return b
}

// frameOf puts m into a frame from src, in the VLANs given.
func frameOf(tb testing.TB, src netip.Addr, m igmp.Message, vlans ...uint16) []byte {
	tb.Helper()
	h := igmp.Header{EthSrc: hostMAC, Src: src}
	for _, id := range vlans {
		h.VLANs = append(h.VLANs, igmp.VLAN{ID: id})
	}
	if _, err := igmp.Destination(m); err != nil {
		h.Dst = addr("224.0.0.2") // types without a destination of their own
	}
	frame, err := igmp.AppendFrame(nil, h, m)
	require.NoError(tb, err)
	return frame
}

// frameTo is frameOf for a destination that the message does not have by itself. A unicast one gets the MAC of a router.
func frameTo(tb testing.TB, src, dst netip.Addr, m igmp.Message) []byte {
	tb.Helper()
	h := igmp.Header{EthSrc: hostMAC, Src: src, Dst: dst}
	if !dst.IsMulticast() {
		h.EthDst = igmp.MAC{2, 0, 0, 0, 0, 0xfe}
	}
	frame, err := igmp.AppendFrame(nil, h, m)
	require.NoError(tb, err)
	return frame
}

// payloadFrame puts the bytes of an IGMP payload into a frame of the host.
func payloadFrame(tb testing.TB, payload string) []byte {
	tb.Helper()
	m, err := igmp.Parse(unhex(tb, payload))
	require.NoError(tb, err)
	return frameOf(tb, host, m)
}

func generalQuery() *igmp.Query {
	return &igmp.Query{Version: 3, Group: nobody, MaxResp: 10 * time.Second, QRV: 2, QQI: 125 * time.Second}
}

func advertisement(interval uint8) *igmp.Other {
	return &igmp.Other{MessageType: igmp.TypeRouterAdvertisement, Code: interval, Body: []byte{0, 125, 0, 2}}
}

func termination() *igmp.Other { return &igmp.Other{MessageType: igmp.TypeRouterTermination} }

// hello is a frame with a PIM version 2 hello from src that holds these options. No library that could make it is
// among our dependencies; odd.pcap has one made by scapy to compare with.
func hello(src netip.Addr, options ...byte) []byte {
	pim := append([]byte{0x20, 0, 0, 0}, options...)
	binary.BigEndian.PutUint16(pim[2:], ^internetSum(pim))
	return pimFrame(src, pim)
}

func holdtime(seconds uint16) []byte {
	return binary.BigEndian.AppendUint16([]byte{0, 1, 0, 2}, seconds)
}

// pimFrame puts a PIM message into a frame to 224.0.0.13.
func pimFrame(src netip.Addr, pim []byte) []byte {
	from := src.As4()
	ip := []byte{0x45, 0xc0, 0, 0, 0, 0, 0, 0, 1, 103, 0, 0, from[0], from[1], from[2], from[3], 224, 0, 0, 13}
	binary.BigEndian.PutUint16(ip[2:], uint16(len(ip)+len(pim)))
	binary.BigEndian.PutUint16(ip[10:], ^internetSum(ip))
	eth := append([]byte{0x01, 0, 0x5e, 0, 0, 0x0d}, hostMAC[:]...)
	return slices.Concat(eth, []byte{8, 0}, ip, pim)
}

func routerPorts(s *Snooper, v VLAN) []Port { return slices.Collect(s.RouterPorts(v)) }

// readCapture reads a file of the codec's captures, compressed or not.
func readCapture(tb testing.TB, name string) []byte {
	tb.Helper()
	path := filepath.Join("..", "testdata", "captures", name)
	b, err := os.ReadFile(path)
	if err == nil {
		return b
	}
	b, err = os.ReadFile(path + ".gz")
	require.NoError(tb, err)
	z, err := gzip.NewReader(bytes.NewReader(b))
	require.NoError(tb, err)
	b, err = io.ReadAll(z)
	require.NoError(tb, err)
	return b
}

func packets(tb testing.TB, capture string) []pcap.Packet {
	tb.Helper()
	all, err := pcap.ReadAll(bytes.NewReader(readCapture(tb, capture+".pcap")))
	require.NoError(tb, err)
	return all
}
