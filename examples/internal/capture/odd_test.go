package capture

import (
	"bytes"
	"encoding/binary"
	"testing"
	"time"

	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
	"github.com/stretchr/testify/require"
)

func TestFramesOfOtherInterfacesAreSkippedAndCounted(t *testing.T) {
	var b bytes.Buffer
	w, err := pcapgo.NewNgWriter(&b, layers.LinkTypeEthernet)
	require.NoError(t, err)
	other, err := w.AddInterface(pcapgo.NgInterface{LinkType: layers.LinkTypeRaw, SnapLength: 65535})
	require.NoError(t, err)
	for i, f := range frames {
		about := info(i)
		if i == 1 {
			about.InterfaceIndex = other
		}
		require.NoError(t, w.WritePacket(about, f))
	}
	require.NoError(t, w.Flush())

	r, err := NewReader(bytes.NewReader(b.Bytes()))
	require.NoError(t, err)
	var got [][]byte
	for f, err := range r.Frames() {
		require.NoError(t, err)
		got = append(got, f.Data)
	}
	require.Equal(t, [][]byte{frames[0], frames[2]}, got)
	require.Equal(t, 1, r.Skipped())
}

// Simple packet blocks have no time (pcapng, section 4.4).
func TestFramesWithoutATimeHaveOneAllTheSame(t *testing.T) {
	file := simplePacket(ng(t, layers.LinkTypeEthernet), frames[2])
	got, err := readAll(t, file)
	require.NoError(t, err)
	require.Len(t, got, len(frames)+1)
	require.Equal(t, frames[2], got[3].Data)
	require.Equal(t, got[2].At, got[3].At, "that of the frame before")

	w := ng(t, layers.LinkTypeEthernet)
	alone, err := readAll(t, simplePacket(w[:headerLen(t, w)], frames[2]))
	require.NoError(t, err)
	require.Equal(t, time.Unix(0, 0).UTC(), alone[0].At)
}

// simplePacket appends a simple packet block.
func simplePacket(file, frame []byte) []byte {
	padded := append(bytes.Clone(frame), make([]byte, (4-len(frame)%4)%4)...)
	total := uint32(16 + len(padded))
	file = binary.LittleEndian.AppendUint32(bytes.Clone(file), 3)
	file = binary.LittleEndian.AppendUint32(file, total)
	file = binary.LittleEndian.AppendUint32(file, uint32(len(frame)))
	file = append(file, padded...)
	return binary.LittleEndian.AppendUint32(file, total)
}

// headerLen is where the first packet block begins: behind the section header and the interface.
func headerLen(t *testing.T, file []byte) int {
	n := 0
	for range 2 {
		n += int(binary.LittleEndian.Uint32(file[n+4:]))
	}
	require.EqualValues(t, 6, binary.LittleEndian.Uint32(file[n:]), "an enhanced packet block")
	return n
}
