package ofconn_test

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// packetIns are the recorded packet-ins of the two forms that are read here.
func packetIns(tb testing.TB) []recordedMessage {
	var some []recordedMessage
	for _, r := range recordedOf(tb, "packet_in") {
		if !strings.HasPrefix(r.Text, "NXT_PACKET_IN (") {
			some = append(some, r)
		}
	}
	require.NotEmpty(tb, some)
	return some
}

// described is p in the words in which ovs-ofctl printed it.
func described(p ofconn.PacketIn) string {
	var words []string
	if p.Table != 0 {
		words = append(words, fmt.Sprintf("table_id=%d", p.Table))
	}
	words = append(words, fmt.Sprintf("cookie=0x%x total_len=%d", p.Cookie, p.TotalLen))
	return strings.Join(words, " ")
}

func TestPacketInsAreWhatOvsOfctlPrintsOfThem(t *testing.T) {
	for _, r := range packetIns(t) {
		p, err := ofconn.ParsePacketIn(unhex(r.Hex))
		require.NoError(t, err, r.Name)
		require.Equal(t, r.Frame, hex.EncodeToString(p.Frame), r.Name)
		require.False(t, p.Truncated(), r.Name)

		lines := strings.Split(r.Text, "\n")
		require.Contains(t, lines[0], "(xid=0x0): "+described(p)+" ", r.Name)
		require.Contains(t, lines[0], fmt.Sprintf("in_port=%d (via %v) data_len=%d", p.InPort, p.Reason, len(p.Frame)), r.Name)
		require.Equal(t, p.Metadata != 0, strings.Contains(lines[0], fmt.Sprintf("metadata=0x%x,", p.Metadata)), r.Name)
		require.Equal(t, p.Regs[0] != 0, strings.Contains(lines[0], fmt.Sprintf("reg0=0x%x,", p.Regs[0])), r.Name)
		require.Equal(t, len(p.UserData) > 0, strings.Contains(r.Text, "userdata=01.02.03.04.05\n"), r.Name)
		if len(p.UserData) > 0 {
			require.Equal(t, []byte{1, 2, 3, 4, 5}, p.UserData)
		}
	}
}

// message is a whole message of OpenFlow 1.5 with this body.
func message(messageType uint8, body string) []byte {
	m := append([]byte{6, messageType, 0, 0, 0, 0, 0, 0}, spaced(body)...)
	binary.BigEndian.PutUint16(m[2:], uint16(len(m)))
	return m
}

// arp is an ARP request in a frame that was padded to 60 bytes.
var arp = "ffffffffffff02000000000108060001080006040001020000000001c0000201000000000000c0000202" + strings.Repeat("00", 18)

func TestFieldsAndPropertiesThatAreNotKnownArePassedOver(t *testing.T) {
	// A field of class 0xfff0 with three bytes stands before in_port; an
	// experimenter's field, and a masked one, before the metadata.
	const odd = "fff00203 aabbcc" + "80000004 00000003" + "ffff0006 004f4e460102" + "00010308 0000000300000005"
	const metadata = "80000408 0000000000000007"
	t.Run("standard", func(t *testing.T) {
		body := "ffffffff 003c 01 0a 0000000000000123" + "0001 0035" + odd + metadata + "000000" + "0000" + arp
		p, err := ofconn.ParsePacketIn(message(10, body))
		require.NoError(t, err)
		require.Empty(t, cmp.Diff(ofconn.PacketIn{
			InPort: 3, Table: 10, Reason: ofconn.ReasonAction, Cookie: 0x123, Metadata: 7, Regs: [16]uint32{1: 3}, Frame: unhex(arp), TotalLen: 60,
		}, p))
	})
	t.Run("NXT_PACKET_IN2", func(t *testing.T) {
		body := "00002320 0000001e" + "00ff0005 aa 000000" + "00000040" + arp + "80080008 00000001" +
			"00060035" + odd + metadata + "000000"
		p, err := ofconn.ParsePacketIn(message(4, body))
		require.NoError(t, err)
		require.Empty(t, cmp.Diff(ofconn.PacketIn{
			InPort: 3, Cookie: ofconn.NoCookie, Metadata: 7, Regs: [16]uint32{1: 3}, Frame: unhex(arp), TotalLen: 60,
		}, p))
	})
}

// Registers come one by one or by pairs, and the ones a pair has no value for are
// masked out.
func TestRegistersAreReadInBothForms(t *testing.T) {
	const fields = "00011e04 0000000f" + "80010008 0000000100000002" + "80010510 0000000000000005 00000000ffffffff" +
		"80011008 ffffffffffffffff" + "00012004 ffffffff" + "00010403 ffffff" // no such pair, register or length
	body := "00002320 0000001e 00000004 00000000" + "00060047" + fields + "00"
	p, err := ofconn.ParsePacketIn(message(4, body))
	require.NoError(t, err)
	require.Equal(t, [16]uint32{0: 1, 1: 2, 5: 5, 15: 15}, p.Regs)
}

func TestWhatTheSwitchDidNotSayIsNotMadeUp(t *testing.T) {
	p, err := ofconn.ParsePacketIn(message(10, "ffffffff 0000 00 00 0000000000000000 0001000400000000 0000"))
	require.NoError(t, err)
	require.Equal(t, ofgroup.PortAny, p.InPort)
	require.Empty(t, p.Frame)
	p, err = ofconn.ParsePacketIn(message(4, "00002320 0000001e 00000004 00000000"))
	require.NoError(t, err)
	require.Equal(t, ofgroup.PortAny, p.InPort)
	require.Equal(t, ofconn.NoCookie, p.Cookie)
}

// A report cut in the middle would be a membership that nobody asked for.
func TestACutPacketSaysSo(t *testing.T) {
	frame := strings.Repeat("5a", 128)
	for name, msg := range map[string][]byte{
		"standard":       message(10, "ffffffff 0106 01 00 0000000000000000 0001000c 80000004 00000002 00000000 0000"+frame),
		"NXT_PACKET_IN2": message(4, "00002320 0000001e 00000084"+frame+"00000000 00010008 00000106"),
	} {
		p, err := ofconn.ParsePacketIn(msg)
		require.NoError(t, err, name)
		require.Len(t, p.Frame, 128, name)
		require.EqualValues(t, 262, p.TotalLen, name)
		require.True(t, p.Truncated(), name)
	}
}

func TestAPacketInOwnsItsMemory(t *testing.T) {
	for _, r := range packetIns(t) {
		msg := unhex(r.Hex)
		p, err := ofconn.ParsePacketIn(msg)
		require.NoError(t, err)
		for i := range msg {
			msg[i] = 0xbb // the next message in the same buffer
		}
		require.Equal(t, r.Frame, hex.EncodeToString(p.Frame), r.Name)
		if len(p.UserData) > 0 {
			require.Equal(t, []byte{1, 2, 3, 4, 5}, p.UserData, r.Name)
			_ = append(p.Frame, 0xcc) // the two share one allocation, and yet not this
			require.Equal(t, []byte{1, 2, 3, 4, 5}, p.UserData, r.Name)
		}
	}
}

func TestPacketInsWithWrongLengthsAreMalformed(t *testing.T) {
	const head = "00002320 0000001e"
	for what, msg := range map[string][]byte{
		"another type":                      message(12, "ffffffff 0000 00 00 0000000000000000 0001000400000000 0000"),
		"another experimenter":              message(4, "00002321 0000001e 00000004 00000000"),
		"another message of the vendor":     message(4, "00002320 00000011 00000004 00000000"),
		"match shorter than its header":     message(10, "ffffffff 0000 00 00 0000000000000000 0001000300000000 0000"),
		"match longer than the message":     message(10, "ffffffff 0000 00 00 0000000000000000 0001000c00000000 0000"),
		"no padding behind the match":       message(10, "ffffffff 0000 00 00 0000000000000000 0001000c80000004 00000001 00000000"),
		"half a field's header":             message(10, "ffffffff 0000 00 00 0000000000000000 0001000680000000 0000"),
		"field longer than the match":       message(10, "ffffffff 0000 00 00 0000000000000000 0001000880000004 0000"),
		"half a property's header":          message(4, head+"00000004 00000000 0003"),
		"property shorter than its header":  message(4, head+"00000003 00000000"),
		"property longer than the message":  message(4, head+"00000009 00000000"),
		"no packet":                         message(4, head+"00030005 00000000"),
		"table of two bytes":                message(4, head+"00000004 00000000 00030006 00000000"),
		"reason of no byte":                 message(4, head+"00000004 00000000 00050004 00000000"),
		"cookie without its padding":        message(4, head+"00000004 00000000 0004000c 0000000000000000 00000000"),
		"length of the packet in two bytes": message(4, head+"00000004 00000000 00010006 00000000"),
	} {
		p, err := ofconn.ParsePacketIn(msg)
		require.ErrorIs(t, err, ofgroup.ErrMalformed, what)
		require.Empty(t, cmp.Diff(ofconn.PacketIn{}, p), what)
	}
}

func TestPacketInReasonsHaveNames(t *testing.T) {
	require.Equal(t, "packet_out", ofconn.ReasonPacketOut.String())
	require.Equal(t, "PacketInReason(0x6)", ofconn.PacketInReason(6).String())
}

func TestDecodingAPacketInIsOneAllocation(t *testing.T) {
	for _, r := range packetIns(t) {
		msg := unhex(r.Hex)
		require.Equal(t, 1.0, testing.AllocsPerRun(20, func() { _, _ = ofconn.ParsePacketIn(msg) }), r.Name)
	}
}

func BenchmarkParsePacketIn(b *testing.B) {
	for _, name := range []string{"standard-igmp-leave-truncated", "nxt-packet-in2-igmp-report-userdata"} {
		b.Run(name, func(b *testing.B) {
			msg := recordedNamed(b, "of15-packet-in-"+name)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := ofconn.ParsePacketIn(msg); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
