package screen

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A picture is one write over the last one; at the end the first screen comes back, with the lines.
func TestTheScreenIsWrittenOver(t *testing.T) {
	var out bytes.Buffer
	width := 80
	s := New(&out, func() (int, int) { return width, 24 })
	lines := func(w, h int) []string {
		require.Equal(t, []int{width, 24}, []int{w, h})
		return []string{"one", "two"}
	}
	require.NoError(t, s.Draw(lines))
	first := out.String()
	require.Equal(t, secondScreen+clearAll+home+"one"+clearLine+"\r\ntwo"+clearLine+clearBelow, first)

	out.Reset()
	require.NoError(t, s.Draw(lines))
	require.Equal(t, strings.TrimPrefix(first, secondScreen+clearAll), out.String(), "nothing is cleared that comes again")

	width = 60
	out.Reset()
	require.NoError(t, s.Draw(lines))
	require.True(t, strings.HasPrefix(out.String(), clearAll+home))

	out.Reset()
	require.NoError(t, s.Close([]string{"last"}))
	require.Equal(t, firstScreen+"last\n", out.String())
}

func TestAScreenThatWasNeverOnLeavesTheTerminalAlone(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, New(&out, nil).Close([]string{"last"}))
	require.Equal(t, "last\n", out.String())
}

func TestCut(t *testing.T) {
	red := Paint(true).Colour(Red, "abcdef")
	require.Equal(t, "abcdef", Cut("abcdef", 0))
	require.Equal(t, "abcdef", Cut("abcdef", 6))
	require.Equal(t, "abcd…", Cut("abcdef", 5))
	require.Equal(t, "\x1b[31mab…\x1b[0m", Cut(red, 3), "colours end")
	require.Equal(t, 6, Visible(red))
	require.Equal(t, "abcdef", Paint(false).Colour(Red, "abcdef"))
}

func TestCounts(t *testing.T) {
	require.Equal(t, []string{"0 groups", "1 group", "2 groups"}, []string{Count(0, "group"), Count(1, "group"), Count(2, "group")})
	require.Equal(t, "2 queries", Plural(2, "query", "queries"))
}

func TestShortTimes(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 59*time.Second + 400*time.Millisecond: "59s", 59*time.Second + 600*time.Millisecond: "1m00s",
		3599 * time.Second: "59m59s", time.Hour: "1h00m", 24*time.Hour - time.Second: "23h59m", 100 * time.Hour: "4d04h",
	} {
		require.Equal(t, want, Short(d))
	}
	require.Equal(t, 1500*time.Millisecond, Seconds(1.5))
}
