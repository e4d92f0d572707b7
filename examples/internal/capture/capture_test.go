package capture

import (
	"bytes"
	"compress/gzip"
	"io"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
	"github.com/stretchr/testify/require"
)

var frames = [][]byte{{1}, bytes.Repeat([]byte{2}, 1514), bytes.Repeat([]byte{3}, 60)}

var begin = time.Date(2024, 5, 6, 7, 8, 9, 123456000, time.UTC)

func TestBothFormatsGiveTheSameFrames(t *testing.T) {
	for name, file := range map[string][]byte{
		"pcap": classic(t, layers.LinkTypeEthernet), "pcapng": ng(t, layers.LinkTypeEthernet),
		"pcap gzip'd": zipped(t, classic(t, layers.LinkTypeEthernet)), "pcapng gzip'd": zipped(t, ng(t, layers.LinkTypeEthernet)),
	} {
		t.Run(name, func(t *testing.T) {
			got, err := readAll(t, file)
			require.NoError(t, err)
			require.Len(t, got, len(frames))
			for i, f := range got {
				require.Equal(t, frames[i], f.Data)
				require.True(t, begin.Add(time.Duration(i)*time.Second).Equal(f.At), "frame %d at %v", i, f.At)
			}
		})
	}
}

func TestOtherLinkTypesAreRefused(t *testing.T) {
	for name, file := range map[string][]byte{"pcap": classic(t, layers.LinkTypeLinuxSLL), "pcapng": ng(t, layers.LinkTypeLinuxSLL)} {
		t.Run(name, func(t *testing.T) {
			_, err := readAll(t, file)
			require.ErrorIs(t, err, ErrNotEthernet)
		})
	}
}

func TestCutFileGivesWholeFramesThenAnError(t *testing.T) {
	for name, file := range map[string][]byte{"pcap": classic(t, layers.LinkTypeEthernet), "pcapng": ng(t, layers.LinkTypeEthernet)} {
		t.Run(name, func(t *testing.T) {
			got, err := readAll(t, file[:len(file)-20])
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
			require.Len(t, got, len(frames)-1)
		})
	}
}

func TestOtherFilesAreRefused(t *testing.T) {
	for _, file := range [][]byte{nil, []byte("x"), []byte("not a capture at all, but long enough")} {
		_, err := NewReader(bytes.NewReader(file))
		require.Error(t, err)
	}
}

func readAll(t *testing.T, file []byte) ([]Frame, error) {
	t.Helper()
	r, err := NewReader(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	var got []Frame
	for f, err := range r.Frames() {
		if err != nil {
			return got, err
		}
		got = append(got, f)
	}
	return got, nil
}

func classic(t *testing.T, link layers.LinkType) []byte {
	var b bytes.Buffer
	w := pcapgo.NewWriter(&b)
	require.NoError(t, w.WriteFileHeader(65535, link))
	for i, f := range frames {
		require.NoError(t, w.WritePacket(info(i), f))
	}
	return b.Bytes()
}

func ng(t *testing.T, link layers.LinkType) []byte {
	var b bytes.Buffer
	w, err := pcapgo.NewNgWriter(&b, link)
	require.NoError(t, err)
	for i, f := range frames {
		require.NoError(t, w.WritePacket(info(i), f))
	}
	require.NoError(t, w.Flush())
	return b.Bytes()
}

func info(i int) gopacket.CaptureInfo {
	return gopacket.CaptureInfo{Timestamp: begin.Add(time.Duration(i) * time.Second), CaptureLength: len(frames[i]), Length: len(frames[i])}
}

func zipped(t *testing.T, file []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write(file)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Bytes()
}
