package igmpdiff

import (
	"encoding/binary"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/internal/capture"
	"github.com/ofmcast/ofmcast/igmp"
)

var captures = []string{"kernel-v1.pcap", "kernel-v2.pcap", "kernel-v3.pcap", "mixed.pcap", "odd.pcap", "storm.pcap.gz"}

func framesOf(tb testing.TB, name string) (frames [][]byte) {
	tb.Helper()
	file, err := os.Open("../../../igmp/testdata/captures/" + name)
	require.NoError(tb, err)
	defer file.Close()
	r, err := capture.NewReader(file)
	require.NoError(tb, err)
	for f, err := range r.Frames() {
		require.NoError(tb, err)
		frames = append(frames, slices.Clone(f.Data))
	}
	return frames
}

func TestEveryCapturedFrameIsReadAlike(t *testing.T) {
	for _, name := range captures {
		alike := 0
		for _, frame := range framesOf(t, name) {
			if compare(t, frame) {
				alike++
			}
		}
		require.Greater(t, alike, 30, name)
	}
}

// FuzzFrame compares what both say of any frame, as it is and with its checksums put right, which would otherwise keep
// nearly every frame from being compared.
func FuzzFrame(f *testing.F) {
	for _, name := range captures {
		for i, frame := range framesOf(f, name) {
			if name == "odd.pcap" || i%20 == 0 {
				f.Add(frame)
			}
		}
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		compare(t, frame)
		compare(t, repaired(frame))
	})
}

// compare says whether both accept the frame. They then agree on everything that is not known to differ.
func compare(t *testing.T, frame []byte) bool {
	us, err := ours(frame)
	them := theirs(frame)
	switch {
	case err != nil && them == nil:
		return false
	case err != nil:
		require.True(t, excused(frame, err), "gopacket alone accepts %x: %v", frame, err)
		return false
	case them == nil:
		require.NotContains(t, []igmp.Type{
			igmp.TypeQuery, igmp.TypeReportV1, igmp.TypeReportV2, igmp.TypeLeave, igmp.TypeReportV3,
		}, us.Type, "gopacket refuses %x", frame)
		return false
	}
	message := messageIn(packetIn(frame))
	var qqic uint8
	if us.Type == igmp.TypeQuery && us.Version == 3 {
		qqic = message[9]
	}
	level(us, them, message[1], qqic)
	require.Equal(t, them, us, "%x", frame)
	return true
}

// packetIn is what lies behind the Ethernet header and the tags, if that is all there.
func packetIn(frame []byte) []byte {
	for off := 12; len(frame) >= off+2; off += 4 {
		switch binary.BigEndian.Uint16(frame[off:]) {
		case 0x8100, 0x88a8:
		default:
			return frame[off+2:]
		}
	}
	return nil
}

// messageIn is the payload of a packet, as far as its lengths make sense.
func messageIn(packet []byte) []byte {
	if len(packet) < 20 {
		return nil
	}
	header, total := int(packet[0]&0x0f)*4, int(binary.BigEndian.Uint16(packet[2:]))
	if header < 20 || header > total || total > len(packet) {
		return nil
	}
	return packet[header:total]
}

// repaired returns a copy of the frame with right checksums, as far as its lengths make sense.
func repaired(frame []byte) []byte {
	frame = slices.Clone(frame)
	packet := packetIn(frame)
	if len(packet) >= 20 {
		if header := int(packet[0]&0x0f) * 4; header >= 20 && header <= len(packet) {
			repair(packet[:header], 10)
		}
	}
	if message := messageIn(packet); len(message) >= 4 {
		repair(message, 2)
	}
	return frame
}

// repair writes the checksum of RFC 1071 into its place.
func repair(b []byte, at int) {
	b[at], b[at+1] = 0, 0
	var sum uint32
	for i, c := range b {
		sum += uint32(c) << (8 * (1 - i%2))
	}
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	binary.BigEndian.PutUint16(b[at:], ^uint16(sum))
}
