package ofgrouptest

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// recordedCase is one request and what Open vSwitch 3.1.0 did with it. All groups were
// deleted before it, then the messages of pre were sent, which it took.
type recordedCase struct {
	Name    string   `json:"name"`
	Pre     []string `json:"pre"`
	Hex     string   `json:"hex"`
	Verdict []uint16 `json:"verdict"` // error type and code; absent when it obeyed
	Error   string   `json:"error"`   // the whole error message, where it was recorded
	Desc    string   `json:"desc"`    // the whole GROUP_DESC reply, where it was recorded
	After   *string  `json:"after"`   // or all groups' entries in it
}

func recordedCases(tb testing.TB) []recordedCase {
	tb.Helper()
	return casesIn(tb, "testdata/verdicts.jsonl.gz")
}

func casesIn(tb testing.TB, name string) []recordedCase {
	tb.Helper()
	f, err := os.Open(name)
	require.NoError(tb, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(tb, err)
	var cases []recordedCase
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c recordedCase
		require.NoError(tb, json.Unmarshal(lines.Bytes(), &c))
		cases = append(cases, c)
	}
	require.NoError(tb, lines.Err())
	return cases
}

func TestVerdictsAreThoseRecordedFromOpenVSwitch(t *testing.T) {
	c := dial(t, newSwitch(t))
	cases := recordedCases(t)
	require.Greater(t, len(cases), 3000)
	differences := knownDifferences()
	for _, r := range cases {
		t.Run(r.Name, func(t *testing.T) {
			c.tb = t
			if why, ok := differences[r.Name]; ok {
				require.False(t, agrees(c, r), "no longer differs (%s): drop it from the table", why)
				return
			}
			want, got := r.refusal(t), play(c, r)
			require.Equal(t, want, got, "request %s", r.Hex)
			r.compareGroups(t, c)
		})
	}
}

// play puts the switch into the recorded state and sends the request.
func play(c *client, r recordedCase) *Refusal {
	require.Nil(c.tb, c.verdict(deleteAll()))
	for _, p := range r.Pre {
		require.Nil(c.tb, c.verdict(unhex(c.tb, p)))
	}
	request := unhex(c.tb, r.Hex)
	replies := c.do(request)
	if len(replies) == 0 || replies[0][1] != openflow.TypeError {
		return nil
	}
	got := replies[0]
	if r.Error != "" {
		want := unhex(c.tb, r.Error) // differs in transaction IDs only: its own and the quote's
		openflow.PutXID(want, c.xid)
		openflow.PutXID(want[openflow.HeaderLen+4:], c.xid)
		require.Equal(c.tb, want, got)
	}
	return &Refusal{Type: be.Uint16(got[8:]), Code: be.Uint16(got[10:])}
}

func (r recordedCase) refusal(tb testing.TB) *Refusal {
	switch {
	case r.Error != "":
		e := unhex(tb, r.Error)
		return &Refusal{Type: be.Uint16(e[8:]), Code: be.Uint16(e[10:])}
	case r.Verdict != nil:
		return &Refusal{Type: r.Verdict[0], Code: r.Verdict[1]}
	}
	return nil
}

func (r recordedCase) compareGroups(tb testing.TB, c *client) {
	var want []byte
	switch {
	case r.After != nil:
		want = unhex(tb, *r.After)
	case r.Desc != "":
		want = unhex(tb, r.Desc)[openflow.MultipartHeaderLen:]
	default:
		return
	}
	require.Equal(tb, entries(tb, want), entries(tb, c.describe(allGroups)))
}

// agrees is the whole comparison without failing the test.
func agrees(c *client, r recordedCase) bool {
	want, got := r.refusal(c.tb), play(c, r)
	if (want == nil) != (got == nil) || want != nil && *want != *got {
		return false
	}
	return r.After == nil || bytes.Equal(unhex(c.tb, *r.After), c.describe(allGroups))
}

// entries cuts a description into groups, sorted: the real switch has no order.
func entries(tb testing.TB, b []byte) []string {
	var out []string
	for len(b) > 0 {
		n := int(be.Uint16(b))
		require.GreaterOrEqual(tb, len(b), n)
		require.GreaterOrEqual(tb, n, descHeader)
		out = append(out, hex.EncodeToString(b[:n]))
		b = b[n:]
	}
	slices.Sort(out)
	return out
}

func unhex(tb testing.TB, s string) []byte {
	tb.Helper()
	b, err := hex.DecodeString(s)
	require.NoError(tb, err)
	return b
}
