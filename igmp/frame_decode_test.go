package igmp

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	reportIPv4 = "46c00020000040000102380fc000020be9fc00019404000016000002e9fc0001"
	reportFor  = "01005e7c000100005e005301" // from 00:00:5e:00:53:01 to the group's address
	queryIPv4  = "46c000200000400001024215c0000201e0000001940400001164ee9b00000000"
	queryFor   = "01005e00000100005e005301"
)

// framesRead are frames that broke other software of this field, with what is right.
var framesRead = []struct {
	name  string
	bytes string
	value string
	err   error
	vlans []VLAN
}{
	{"IPv4 without payload", "01005e00001600005e005301080046c0001800004000010241fec000020be000001694040000", "",
		ErrTooShort, nil},

	// The payload begins behind the options, whatever their length.
	{"header of 24 bytes", queryFor + "0800" + queryIPv4, "v2 query 0.0.0.0 max 10s", nil, nil},

	// Padding is not payload.
	{"zeros behind a query do not make it v3", queryFor + "0800" + queryIPv4 + strings.Repeat("00", 14),
		"v2 query 0.0.0.0 max 10s", nil, nil},
	{"garbage behind a report", reportFor + "0800" + reportIPv4 + "00000000000000000000a5a5a5a5",
		"v2 report 233.252.0.1", nil, nil},

	// Header length out of range.
	{"header length of 60 in 20 bytes",
		"01005e00001600005e00530108004fc00014000040000102cd06c000020be0000016", "", ErrIPHeader, nil},
	{"header length of 0",
		"01005e00001600005e005301080040c0001c000040000102dbfec000020be00000162200ddff00000000", "", ErrIPHeader, nil},

	// The smallest whole frames.
	{"42 bytes", "01005e7c000100005e005301080045c0001c000040000102cd17c000020be9fc000112000402e9fc0001",
		"v1 report 233.252.0.1", nil, nil},
	{"46 bytes", reportFor + "0800" + reportIPv4, "v2 report 233.252.0.1", nil, nil},

	{"VLAN 100", reportFor + "810000640800" + reportIPv4, "v2 report 233.252.0.1", nil, []VLAN{{TPID: 0x8100, ID: 100}}},
	{"priority tag", reportFor + "810060000800" + reportIPv4, "v2 report 233.252.0.1", nil,
		[]VLAN{{TPID: 0x8100, Priority: 3}}},
	{"two tags", reportFor + "88a8f0648100000a0800" + reportIPv4, "v2 report 233.252.0.1", nil,
		[]VLAN{{TPID: 0x88a8, ID: 100, Priority: 7, DropEligible: true}, {TPID: 0x8100, ID: 10}}},

	// A fragment is no message.
	{"later fragment", "01005e7c000100005e005301080046c00020000000030102780cc000020be9fc00019404000016000002e9fc0001",
		"", ErrFragment, nil},
	{"first fragment", "01005e7c000100005e005301080046c00020000020000102580fc000020be9fc00019404000016000002e9fc0001",
		"", ErrFragment, nil},
}

func TestFrameIsReadOrRefused(t *testing.T) {
	for _, c := range framesRead {
		t.Run(c.name, func(t *testing.T) {
			var d Decoder
			v, err := d.Frame(unhex(t, c.bytes))
			require.Equal(t, c.err, err)
			if err == nil {
				require.Equal(t, c.value, render(v))
				require.Equal(t, ChecksumGood, v.IPChecksum)
				require.Equal(t, ChecksumGood, v.Checksum)
				require.Equal(t, MAC{0, 0, 0x5e, 0, 0x53, 1}, v.EthSrc)
			}
			require.ElementsMatch(t, c.vlans, v.VLANs())
		})
	}
}

func TestPacketWithFortyBytesOfOptions(t *testing.T) {
	var d Decoder
	v, err := d.Packet(unhex(t, "4fc0004400004000010226dfc0000201e000000194040000"+strings.Repeat("01", 36)+
		"1164ee9b00000000"))
	require.NoError(t, err)
	require.Equal(t, "v2 query 0.0.0.0 max 10s", render(v))
	require.True(t, v.RouterAlert)
	require.Equal(t, addr("192.0.2.1"), v.Src)
	require.Equal(t, MAC{}, v.EthSrc)
}

// A snooper learns routers from PIM hellos, so a refusal still says what was refused.
func TestNotIGMPStillTellsThePIMHello(t *testing.T) {
	frames := packets(t, "odd")
	var d Decoder
	v, err := d.Frame(frames[164].Data)
	require.Equal(t, ErrNotIGMP, err)
	require.Equal(t, LayerIPv4, v.Layer)
	require.Equal(t, uint8(103), v.Protocol)
	require.Equal(t, addr("224.0.0.13"), v.Dst)
	require.Equal(t, ChecksumGood, v.IPChecksum)
	require.Equal(t, byte(0x20), v.Payload()[0], "PIM version 2, type hello")

	bad := append([]byte(nil), frames[164].Data...)
	bad[ethHeader+8]++ // TTL
	_, err = d.Frame(bad)
	require.Equal(t, ErrIPChecksum, err, "a broken header is no sign of a router")
}

func TestWrongIPChecksumIsReportedFirst(t *testing.T) {
	for _, c := range framesRead {
		b := unhex(t, c.bytes)
		ip := ethHeader + len(c.vlans)*vlanTag
		b[ip+8]++ // TTL, which nothing else depends on
		var d Decoder
		_, err := d.Frame(b)
		if c.err == ErrIPHeader {
			require.Equal(t, ErrIPHeader, err, c.name)
		} else {
			require.Equal(t, ErrIPChecksum, err, c.name)
		}
	}
}

// What one frame left in the Decoder is not seen in the next.
func TestDecoderForgets(t *testing.T) {
	frames := packets(t, "odd")
	var used Decoder
	for _, frame := range frames {
		var fresh Decoder
		want, wantErr := fresh.Frame(frame.Data)
		got, err := used.Frame(frame.Data)
		require.Equal(t, wantErr, err)
		require.Equal(t, *want, *got)
	}
	v, err := used.Packet(nil)
	require.Equal(t, ErrIPHeader, err)
	require.Equal(t, View{}, *v)
}

func TestRouterAlertIsFoundAmongOtherOptions(t *testing.T) {
	for options, want := range map[string]struct{ alert, ok bool }{
		"":                      {false, true},
		"94040000":              {true, true},
		"94040005":              {true, true},
		"01010101" + "94040000": {true, true},
		"07030400" + "94040000": {false, true}, // record route of 3 bytes, then the end of the list
		"0704040194040000":      {true, true},
		"00000000" + "94040000": {false, true},
		"94030001":              {false, true}, // another length is another thing
		"94000000":              {false, false},
		"94010000":              {false, false},
		"94280000":              {false, false},
		"01010194":              {false, false},
		"94040000" + "01010107": {true, false},
	} {
		var v View
		require.Equal(t, want.ok, v.readOptions(unhex(t, options)), options)
		require.Equal(t, want.alert, v.RouterAlert, options)
	}
}
