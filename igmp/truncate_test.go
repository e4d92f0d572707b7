package igmp

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The length of a message is the IPv4 header's to say, so a frame that ends before it is refused, wherever that is.
func TestEveryStrictPrefixOfEveryFrameIsRefused(t *testing.T) {
	for name := range hostCaptures {
		frames := packets(t, name)
		if name == "storm" {
			frames = frames[:300] // the rest is the same few shapes
		}
		for i, frame := range frames {
			var d Decoder
			v, err := d.Frame(frame.Data)
			require.NoError(t, err)
			end := len(frame.Data)
			if v.Type == TypeQuery && v.Version == 1 {
				end -= 18 // padded to 60 bytes
			}
			for n := range end {
				if _, err := d.Frame(frame.Data[:n:n]); err == nil {
					t.Fatalf("%s: packet %d: accepted when cut to %d of %d bytes", name, i+1, n, end)
				}
			}
		}
	}
}

// Prefixes of odd frames must not crash, and a cut message must not be read as a whole one of another kind.
func TestEveryPrefixOfEveryOddFrameIsSafe(t *testing.T) {
	for i, frame := range packets(t, "odd") {
		var d Decoder
		_, whole := d.Frame(frame.Data)
		for n := range frame.Data {
			v, err := d.Frame(frame.Data[:n:n])
			if err == nil && whole != nil {
				t.Fatalf("packet %d: accepted when cut to %d bytes, refused whole: %v", i+1, n, whole)
			}
			visited = visit(v)
		}
	}
}

// Without an IPv4 header only the checksum tells a cut message; where that happens to fit, the counts must.
func TestCutListsAreRefusedThoughTheChecksumFits(t *testing.T) {
	cut := 0
	for i, frame := range packets(t, "odd") {
		var whole Decoder
		v, err := whole.Frame(frame.Data)
		if err != nil || v.Version != 3 {
			continue
		}
		b := v.Payload()
		least, want := queryV3, ErrSources
		if v.Type == TypeReportV3 {
			least, want = groupMessage, ErrRecords
		}
		for n := least; n < least+len(v.list); n++ {
			p := append(make([]byte, 0, len(b)), b[:n]...) // room behind it, as in a padded frame
			p[offChecksum], p[offChecksum+1] = 0, 0
			setChecksum(p, offChecksum)
			var d Decoder
			cutView, err := d.Payload(p)
			require.Equal(t, want, err, "packet %d: cut to %d bytes", i+1, n)
			require.Zero(t, cutView.NumRecords()+cutView.NumSources())
			require.Zero(t, visit(cutView))
			cut++
		}
	}
	require.NotZero(t, cut)
}
