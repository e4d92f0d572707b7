package main

import (
	"encoding/binary"
	"io"
	"strings"
	"testing"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/internal/capture"
)

func captureInfo(f capture.Frame, index int) gopacket.CaptureInfo {
	return gopacket.CaptureInfo{Timestamp: f.At, CaptureLength: len(f.Data), Length: f.Len, InterfaceIndex: index}
}

// What is read of a message that package igmp refuses is read the same way as of one that it accepts.
func TestSalvageReadsWhatPackageIGMPReads(t *testing.T) {
	for _, name := range []string{"kernel-v1.pcap", "kernel-v2.pcap", "kernel-v3.pcap", "mixed.pcap", "odd.pcap"} {
		for i, f := range frames(t, name) {
			var r reader
			want, isIGMP := r.read(i+1, f)
			if !isIGMP || want.Error != "" {
				continue
			}
			got := *want
			got.Type, got.Version, got.MaxResp, got.S, got.QRV, got.QQI, got.ChecksumOK = "", 0, nil, nil, nil, nil, nil
			got.Group, got.Sources, got.Records = packet{}.Group, nil, nil
			got.salvage(payload(readLink(f.Link, f.Data).rest))
			require.Equal(t, *want, got, "%s, frame %d", name, i+1)
		}
	}
}

// A capture with a snap length has the beginning of each frame. It reads as the whole does, as far as
// it goes.
func TestEveryCutSaysSoAndKeepsWhatIsThere(t *testing.T) {
	for _, name := range []string{"kernel-v1.pcap", "kernel-v2.pcap", "mixed.pcap"} {
		for i, f := range frames(t, name) {
			var r reader
			whole, _ := r.read(i+1, f)
			for n := range ethHeader + int(binary.BigEndian.Uint16(f.Data[ethHeader+offTotal:])) {
				cut := f
				cut.Data = f.Data[:n:n]
				got, isIGMP := r.read(i+1, cut)
				require.Equal(t, n > ethHeader+offProtocol, isIGMP, "%d bytes", n)
				require.NotEmpty(t, got.Error)
				require.Equal(t, isIGMP, strings.HasPrefix(got.Error, "cut by the capture after"), got.Error)
				require.Nil(t, got.ChecksumOK, "of a part of a message it is not known")
				requirePart(t, whole, got)
			}
		}
	}
}

// requirePart checks that nothing was made up.
func requirePart(t *testing.T, whole, part *packet) {
	t.Helper()
	if part.Type != "" {
		require.Equal(t, whole.Type, part.Type)
	}
	if part.Version != 0 {
		require.Equal(t, whole.Version, part.Version)
	}
	if part.Group.IsValid() {
		require.Equal(t, whole.Group, part.Group)
	}
	if part.MaxResp != nil {
		require.Equal(t, whole.MaxResp, part.MaxResp)
	}
	if part.QQI != nil {
		require.Equal(t, []any{whole.S, whole.QRV, whole.QQI}, []any{part.S, part.QRV, part.QQI})
	}
	require.LessOrEqual(t, len(part.Records), len(whole.Records))
	for i, r := range part.Records {
		require.Equal(t, whole.Records[i].Group, r.Group)
		require.Equal(t, whole.Records[i].Sources[:len(r.Sources)], r.Sources)
	}
}

// A frame that was padded, and whose padding was cut, is whole.
func TestPaddingMayBeCut(t *testing.T) {
	f := frames(t, "odd.pcap")[31]
	require.Equal(t, 60, f.Len)
	f.Data = f.Data[:46]
	var r reader
	p, _ := r.read(32, f)
	require.Empty(t, p.Error)
	require.True(t, *p.ChecksumOK)
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"kernel-v3.pcap", "odd.pcap"} {
		for i, frame := range frames(f, name) {
			if i%7 == 0 {
				f.Add(frame.Data, uint16(frame.Link))
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, link uint16) {
		var r reader
		p, isIGMP := r.read(1, capture.Frame{Data: data, Len: len(data), Link: layers.LinkType(link)})
		if !isIGMP && (p.Error == "" || p.Type != "") {
			t.Fatalf("%+v", p)
		}
		if err := (&text{out: io.Discard}).write(p); err != nil {
			t.Fatal(err)
		}
	})
}
