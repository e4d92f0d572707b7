package main

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/internal/capture"
)

// frames are those of a capture of real hosts.
func frames(t testing.TB, name string) []capture.Frame {
	t.Helper()
	r, file, err := capture.OpenAny(captures + name)
	require.NoError(t, err)
	defer file.Close()
	var all []capture.Frame
	for f, err := range r.Frames() {
		require.NoError(t, err)
		all = append(all, f)
	}
	return all
}

// classic is a pcap file, as its description has it.
func classic(order binary.AppendByteOrder, magic uint32, unit int64, link layers.LinkType, frames []capture.Frame) []byte {
	b := order.AppendUint32(nil, magic)
	b = order.AppendUint16(order.AppendUint16(b, 2), 4)
	b = order.AppendUint32(append(b, make([]byte, 8)...), 65535)
	b = order.AppendUint32(b, uint32(link))
	for _, f := range frames {
		b = order.AppendUint32(b, uint32(f.At.Unix()))
		b = order.AppendUint32(b, uint32(int64(f.At.Nanosecond())/unit))
		b = order.AppendUint32(order.AppendUint32(b, uint32(len(f.Data))), uint32(f.Len))
		b = append(b, f.Data...)
	}
	return b
}

func dumpBytes(t *testing.T, file []byte, args ...string) []object {
	t.Helper()
	path := filepath.Join(t.TempDir(), "capture")
	require.NoError(t, os.WriteFile(path, file, 0o600))
	return dumpJSON(t, append(args, path)...)
}

const micro, nano = 0xa1b2c3d4, 0xa1b23c4d

func TestEveryFormatGivesTheSame(t *testing.T) {
	all := frames(t, "kernel-v1.pcap")
	want := dumpJSON(t, captures+"kernel-v1.pcap")
	for name, file := range map[string][]byte{
		"big endian":                  classic(binary.BigEndian, micro, 1000, layers.LinkTypeEthernet, all),
		"little endian, nanoseconds":  classic(binary.LittleEndian, nano, 1, layers.LinkTypeEthernet, all),
		"big endian, nanoseconds":     classic(binary.BigEndian, nano, 1, layers.LinkTypeEthernet, all),
		"Linux cooked":                classic(binary.LittleEndian, micro, 1000, layers.LinkTypeLinuxSLL, relink(all, sll)),
		"Linux cooked, version 2":     classic(binary.LittleEndian, micro, 1000, layers.LinkTypeLinuxSLL2, relink(all, sll2)),
		"Ethernet with SNAP (802.2)":  classic(binary.LittleEndian, micro, 1000, layers.LinkTypeEthernet, relink(all, snap)),
		"pcapng, Ethernet and others": pcapng(t, all),
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, want, dumpBytes(t, file)) })
	}
	for _, o := range want {
		delete(o, "eth_src")
	}
	for _, link := range []layers.LinkType{layers.LinkTypeRaw, layers.LinkTypeIPv4} {
		require.Equal(t, want, dumpBytes(t, classic(binary.LittleEndian, micro, 1000, link, relink(all, bare))), "link type %v", link)
	}
}

// relink puts other headers in front of the packets.
func relink(all []capture.Frame, header func(frame []byte) []byte) []capture.Frame {
	out := make([]capture.Frame, len(all))
	for i, f := range all {
		data := append(header(f.Data), f.Data[ethHeader:]...)
		out[i] = capture.Frame{At: f.At, Data: data, Len: len(data)}
	}
	return out
}

func bare([]byte) []byte { return nil }

func sll(frame []byte) []byte {
	b := append([]byte{0, 2, 0, 1, 0, 6}, frame[6:12]...)
	return append(append(b, 0, 0), frame[12:14]...)
}

func sll2(frame []byte) []byte {
	b := append(bytes.Clone(frame[12:14]), 0, 0, 0, 0, 0, 7, 0, 1, 2, 6)
	return append(append(b, frame[6:12]...), 0, 0)
}

func snap(frame []byte) []byte {
	b := binary.BigEndian.AppendUint16(bytes.Clone(frame[:12]), uint16(len(frame)-ethHeader+8))
	return append(append(b, 0xaa, 0xaa, 3, 0, 0, 0), frame[12:14]...)
}

// pcapng has every other frame on an interface of another link type.
func pcapng(t *testing.T, all []capture.Frame) []byte {
	var b bytes.Buffer
	w, err := pcapgo.NewNgWriter(&b, layers.LinkTypeEthernet)
	require.NoError(t, err)
	other, err := w.AddInterface(pcapgo.NgInterface{LinkType: layers.LinkTypeLinuxSLL, TimestampResolution: 6})
	require.NoError(t, err)
	cooked := relink(all, sll)
	for i, f := range all {
		index := 0
		if i%2 == 1 {
			f, index = cooked[i], other
		}
		require.NoError(t, w.WritePacket(captureInfo(f, index), f.Data))
	}
	require.NoError(t, w.Flush())
	return b.Bytes()
}

func TestTagsBehindACookedHeaderAreTags(t *testing.T) {
	tagged := func(frame []byte) []byte { return append(sll(frame)[:14], 0x81, 0, 0xc0, 10, 8, 0) }
	got := dumpBytes(t, classic(binary.LittleEndian, micro, 1000, layers.LinkTypeLinuxSLL, relink(frames(t, "kernel-v1.pcap")[:1], tagged)))
	require.Len(t, got, 1)
	require.Equal(t, []any{float64(10)}, got[0]["vlans"])
	require.Equal(t, "report-v1", got[0]["type"])
}

func TestNanosecondsAreShownWhereThereAreAny(t *testing.T) {
	f := frames(t, "kernel-v1.pcap")[:1]
	f[0].At = f[0].At.Add(1)
	require.Equal(t, "2026-11-30T14:58:05.067399001Z", dumpBytes(t, classic(binary.LittleEndian, nano, 1, layers.LinkTypeEthernet, f))[0]["time"])
}

func TestOtherFramesAreCountedAndShownOnlyWhenAskedFor(t *testing.T) {
	shown := dumpJSON(t, captures+"odd.pcap")
	all := dumpJSON(t, "-all", captures+"odd.pcap")
	require.Len(t, all, 166)
	for i, o := range all {
		require.Equal(t, float64(i+1), o["n"])
	}
	for _, o := range shown {
		require.Equal(t, all[int(o["n"].(float64))-1], o)
	}
	require.Equal(t, object{"n": float64(162), "time": "2027-01-15T08:00:01.610000Z", "eth_src": "02:00:00:00:00:01",
		"src": "192.0.2.1", "dst": "192.0.2.254", "ttl": float64(64), "router_alert": false, "error": "not IGMP: IP protocol 6"}, all[161])
	require.Equal(t, "not IGMP: EtherType 0x0806", all[165]["error"])
}

func TestLinkTypesThatAreNotKnownAreNotPassedOver(t *testing.T) {
	file := classic(binary.LittleEndian, micro, 1000, layers.LinkTypeFDDI, frames(t, "kernel-v1.pcap")[:1])
	unknown := dumpBytes(t, file, "-all")
	require.Equal(t, "link type FDDI is not known", unknown[0]["error"])

	path := filepath.Join(t.TempDir(), "capture")
	require.NoError(t, os.WriteFile(path, file, 0o600))
	err := run(t.Context(), options{file: path}, io.Discard, io.Discard)
	require.EqualError(t, err, "1 of 1 frames are of link types that are not known; -all shows which")
}
