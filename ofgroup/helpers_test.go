package ofgroup_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup"
)

// vector is one recorded message; see testdata/README.md.
type vector struct {
	Name     string `json:"name"`
	OF       string `json:"of"`
	Kind     string `json:"kind"`
	Text     string `json:"text"`
	Hex      string `json:"hex"`
	Print    string `json:"print"`
	Accepted bool   `json:"accepted"`
	Error    string `json:"error"`
	ErrType  uint16 `json:"err_type"`
	ErrCode  uint16 `json:"err_code"`
	Request  string `json:"request"`

	bytes []byte
}

var readVectors = sync.OnceValues(func() ([]vector, error) {
	f, err := os.Open("testdata/groups.jsonl.gz")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<20)
	var all []vector
	for lines.Scan() {
		var v vector
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			return nil, err
		}
		if v.bytes, err = hex.DecodeString(v.Hex); err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, lines.Err()
})

// vectors are the recorded messages of a kind.
func vectors(tb testing.TB, kind string) []vector {
	tb.Helper()
	all, err := readVectors()
	require.NoError(tb, err)
	var some []vector
	for _, v := range all {
		if v.Kind == kind {
			some = append(some, v)
		}
	}
	require.NotEmpty(tb, some)
	return some
}

// recorded is the GROUP_MOD that Open vSwitch's own tool sent in version v under this
// name, with the transaction ID 0.
func recorded(tb testing.TB, v ofgroup.Version, name string) []byte {
	tb.Helper()
	full := map[ofgroup.Version]string{
		ofgroup.OpenFlow13: "of13-group-mod-", ofgroup.OpenFlow15: "of15-group-mod-",
	}[v] + name
	for _, r := range vectors(tb, "group_mod") {
		if r.Name == full {
			b := append([]byte(nil), r.bytes...)
			binary.BigEndian.PutUint32(b[4:], 0)
			return b
		}
	}
	require.Fail(tb, "no recorded message", full)
	return nil
}

func unhex(tb testing.TB, s string) []byte {
	tb.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	require.NoError(tb, err)
	return b
}

// encode is the message of g, which must be one.
func encode(tb testing.TB, g ofgroup.Group, cmd ofgroup.Command, v ofgroup.Version) []byte {
	tb.Helper()
	m, err := g.Mod(cmd, v)
	require.NoError(tb, err)
	b, err := m.MarshalBinary()
	require.NoError(tb, err)
	return b
}

func decode(tb testing.TB, b []byte) *ofgroup.Mod {
	tb.Helper()
	var m ofgroup.Mod
	require.NoError(tb, m.UnmarshalBinary(b))
	return &m
}

// outputs is n buckets that each output to a port, 1, 2, 3 and so on.
func outputs(n int) []ofgroup.Bucket {
	bs := make([]ofgroup.Bucket, n)
	for i := range bs {
		bs[i] = ofgroup.NewBucket(ofgroup.Output(ofgroup.Port(i%0xfe00 + 1)))
	}
	return bs
}

var bothVersions = []ofgroup.Version{ofgroup.OpenFlow13, ofgroup.OpenFlow15}

// requireBytes is require.Equal for long messages: it shows where they part.
func requireBytes(tb testing.TB, want, got []byte, what ...any) {
	tb.Helper()
	if bytes.Equal(want, got) {
		return
	}
	at := 0
	for at < len(want) && at < len(got) && want[at] == got[at] {
		at++
	}
	from := max(0, at-8)
	require.Failf(tb, "bytes differ", "%v: lengths %d and %d, from offset %d on:\nwant %x\ngot  %x", what,
		len(want), len(got), from, want[from:min(at+24, len(want))], got[from:min(at+24, len(got))])
}
