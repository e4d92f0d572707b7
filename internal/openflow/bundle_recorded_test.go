package openflow_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// testdata/bundles.txt has every bundle message that Open vSwitch 3.1.0 and its ovs-ofctl
// exchanged in both versions: a name and the bytes, in hexadecimal, on each line.
func TestRecordedBundleMessagesAreEncodedToTheSameBytes(t *testing.T) {
	text, err := os.ReadFile("testdata/bundles.txt")
	require.NoError(t, err)
	controls, adds := 0, 0
	for line := range strings.Lines(string(text)) {
		name, digits, _ := strings.Cut(strings.TrimSpace(line), " ")
		msg := unhex(t, digits)
		h, err := openflow.ParseHeader(msg)
		require.NoError(t, err, name)
		var again []byte
		if c, ok := openflow.ParseBundleControl(msg); ok {
			again = openflow.AppendBundleControl(nil, h.Version, c)
			controls++
		} else {
			a, ok := openflow.ParseBundleAdd(msg)
			require.True(t, ok, name)
			again, ok = openflow.AppendBundleAdd(nil, h.Version, a)
			require.True(t, ok, name)
			adds++
		}
		openflow.PutXID(again, h.XID)
		require.Equal(t, msg, again, name)
	}
	require.Equal(t, []int{51, 23}, []int{controls, adds})
}
