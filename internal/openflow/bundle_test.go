package openflow_test

import (
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

func unhex(tb testing.TB, s string) []byte {
	tb.Helper()
	b, err := hex.DecodeString(s)
	require.NoError(tb, err)
	return b
}

// Bundles as ovs-ofctl and Open vSwitch 3.1.0 sent them.
var bundleControls = map[string]openflow.BundleControl{
	"06210010000000040000000000000003":                 {Step: openflow.BundleOpen, Flags: 3},
	"06210010000000040000000000010000":                 {Step: openflow.BundleOpened},
	"06210010000000060000000000040003":                 {Step: openflow.BundleCommit, Flags: 3},
	"04040018000000044f4e4600000008fc0000000000000003": {Step: openflow.BundleOpen, Flags: 3},
	"04040018000000064f4e4600000008fc0000000000050000": {Step: openflow.BundleCommitted},
}

func TestBundleControlsMatchRecordedBytes(t *testing.T) {
	for text, want := range bundleControls {
		msg := unhex(t, text)
		got, ok := openflow.ParseBundleControl(msg)
		require.True(t, ok)
		require.Equal(t, want, got)

		b := openflow.AppendBundleControl([]byte{0xaa}, msg[0], got)
		openflow.PutXID(b[1:], uint32(msg[7]))
		require.Equal(t, text, hex.EncodeToString(b[1:]))
	}
}

var bundleAdds = []string{
	"06220048000000030000000000000003" + "060f003800000003000001000000000200200000ffffffff" +
		"0020001000000000000000100000000200000000000000000000000800030000",
	"04040048000000034f4e4600000008fd0000000000000003" + "040f003000000003000001000000000200200003ffffffffffffffff" +
		"0000000000000010000000020000000000000000",
}

func TestBundleAddsMatchRecordedBytes(t *testing.T) {
	for _, text := range bundleAdds {
		msg := unhex(t, text)
		a, ok := openflow.ParseBundleAdd(msg)
		require.True(t, ok)
		require.EqualValues(t, openflow.BundleAtomic|openflow.BundleOrdered, a.Flags)
		require.EqualValues(t, openflow.TypeGroupMod, a.Message[1])

		b, ok := openflow.AppendBundleAdd(nil, msg[0], a)
		require.True(t, ok)
		openflow.PutBundleXID(b, 3)
		require.Equal(t, text, hex.EncodeToString(b))
	}
}

func TestTheMessageInABundleHasTheNumberOfTheOneAroundIt(t *testing.T) {
	for _, text := range bundleAdds {
		b := unhex(t, text)
		openflow.PutBundleXID(b, 0x01020304)
		outer, err := openflow.ParseHeader(b)
		require.NoError(t, err)
		a, ok := openflow.ParseBundleAdd(b)
		require.True(t, ok)
		inner, err := openflow.ParseHeader(a.Message)
		require.NoError(t, err)
		require.EqualValues(t, 0x01020304, outer.XID)
		require.Equal(t, outer.XID, inner.XID)
		require.Equal(t, outer.Version, inner.Version)
	}
}

func TestWhatIsNoWholeBundleMessageIsNotRead(t *testing.T) {
	for text := range bundleControls {
		for n := range len(text) / 2 {
			_, ok := openflow.ParseBundleControl(unhex(t, text)[:n])
			require.False(t, ok, n)
			_, ok = openflow.ParseBundleAdd(unhex(t, text))
			require.False(t, ok)
		}
	}
	for _, text := range bundleAdds {
		for n := range len(text) / 2 {
			cut := unhex(t, text)[:n]
			_, ok := openflow.ParseBundleAdd(cut)
			require.False(t, ok, n)
			if n > 3 { // and with a length that is true again
				cut[2], cut[3] = 0, byte(n)
				_, ok = openflow.ParseBundleAdd(cut)
				require.False(t, ok, n)
			}
			_, ok = openflow.ParseBundleControl(unhex(t, text))
			require.False(t, ok)
		}
	}
	// An inner length below a header's own.
	short := unhex(t, bundleAdds[0])
	short[18], short[19] = 0, 7
	_, ok := openflow.ParseBundleAdd(short)
	require.False(t, ok)
}

func TestABundledMessageFitsOrIsRefused(t *testing.T) {
	for _, v := range []uint8{openflow.Version13, openflow.Version15} {
		most := openflow.MaxLen - openflow.BundleHeaderLen(v)
		b, ok := openflow.AppendBundleAdd(nil, v, openflow.BundleAdd{Message: make([]byte, most)})
		require.True(t, ok)
		require.Len(t, b, openflow.MaxLen)
		require.Equal(t, []byte{0xff, 0xff}, b[2:4])
		b, ok = openflow.AppendBundleAdd([]byte{1}, v, openflow.BundleAdd{Message: make([]byte, most+1)})
		require.False(t, ok)
		require.Equal(t, []byte{1}, b)
	}
}
