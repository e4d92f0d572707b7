package pcap

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// file writes a capture as the format's description has it.
func file(order binary.AppendByteOrder, magic, linkType uint32, packets ...[]byte) []byte {
	b := order.AppendUint32(nil, magic)
	b = order.AppendUint16(order.AppendUint16(b, 2), 4)
	b = append(b, make([]byte, 8)...)
	b = order.AppendUint32(order.AppendUint32(b, 65535), linkType)
	for i, data := range packets {
		b = order.AppendUint32(order.AppendUint32(b, 1800000000), uint32(i+1))
		b = order.AppendUint32(order.AppendUint32(b, uint32(len(data))), uint32(len(data)+i))
		b = append(b, data...)
	}
	return b
}

func TestBothByteOrdersAndBothResolutions(t *testing.T) {
	start := time.Unix(1800000000, 0).UTC()
	for _, order := range []interface {
		binary.AppendByteOrder
		String() string
	}{binary.LittleEndian, binary.BigEndian} {
		for magic, unit := range map[uint32]time.Duration{magicMicro: time.Microsecond, magicNano: time.Nanosecond} {
			t.Run(order.String()+" "+unit.String(), func(t *testing.T) {
				got, err := ReadAll(bytes.NewReader(file(order, magic, LinkTypeEthernet, []byte("first"), nil)))
				require.NoError(t, err)
				require.Equal(t, []Packet{
					{Time: start.Add(unit), Data: []byte("first"), Len: 5},
					{Time: start.Add(2 * unit), Data: []byte{}, Len: 1},
				}, got)
			})
		}
	}
}

// The file is tcpdump's; tshark says when the first and the last packet came.
func TestReadsWhatTcpdumpWrote(t *testing.T) {
	f, err := os.Open("testdata/kernel-v1.pcap")
	require.NoError(t, err)
	defer f.Close()
	got, err := ReadAll(f)
	require.NoError(t, err)
	require.Len(t, got, 39)
	require.Equal(t, time.UnixMicro(1796050685067399).UTC(), got[0].Time)
	require.Equal(t, 46, got[0].Len)
	require.Len(t, got[0].Data, 46)
	require.Equal(t, []byte{0x01, 0x00, 0x5e, 0x01, 0x01, 0x01}, got[0].Data[:6])
	require.Equal(t, time.UnixMicro(1796050764939439).UTC(), got[38].Time)
}

func TestTruncatedFileIsAnErrorAtEveryLength(t *testing.T) {
	whole := file(binary.LittleEndian, magicMicro, LinkTypeEthernet, []byte("first"), []byte("second"))
	ends := map[int]int{fileHeader: 0, fileHeader + packetHeader + 5: 1, len(whole): 2}
	for n := range len(whole) + 1 {
		got, err := ReadAll(bytes.NewReader(whole[:n]))
		if packets, ok := ends[n]; ok {
			require.NoError(t, err, "%d bytes", n)
			require.Len(t, got, packets)
			continue
		}
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, "%d bytes", n)
	}
}

func TestHostileLengthIsRefusedBeforeItIsAllocated(t *testing.T) {
	for name, change := range map[string]func(b []byte){
		"captured 4 GiB":             func(b []byte) { copy(b[8:], "\xff\xff\xff\xff\xff\xff\xff\xff") },
		"captured over the limit":    func(b []byte) { copy(b[8:], "\x01\x00\x04\x00\x01\x00\x04\x00") },
		"captured more than length":  func(b []byte) { b[12] = 1 },
		"a second and more of micro": func(b []byte) { copy(b[4:], "\x40\x42\x0f\x00") },
	} {
		t.Run(name, func(t *testing.T) {
			b := file(binary.LittleEndian, magicMicro, LinkTypeEthernet, []byte("first"))
			change(b[fileHeader:])
			_, err := ReadAll(bytes.NewReader(b))
			require.ErrorIs(t, err, ErrFormat)
		})
	}
}

func TestOtherFormatsAreRefused(t *testing.T) {
	pcapng := append([]byte{0x0a, 0x0d, 0x0d, 0x0a}, make([]byte, 40)...)
	_, err := ReadAll(bytes.NewReader(pcapng))
	require.ErrorIs(t, err, ErrFormat)

	old := file(binary.LittleEndian, magicMicro, LinkTypeEthernet)
	old[4] = 1
	_, err = ReadAll(bytes.NewReader(old))
	require.ErrorIs(t, err, ErrFormat)

	_, err = ReadAll(bytes.NewReader(file(binary.LittleEndian, magicMicro, 113)))
	require.ErrorContains(t, err, "link type 113")
}
