package ofconn_test

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// recordedMessage is one line of a file in testdata; see the README there.
type recordedMessage struct {
	Name string `json:"name"`
	OF   string `json:"of"`
	Kind string `json:"kind"`
	Text string `json:"text"`
	Hex  string `json:"hex"`

	Frame string `json:"frame"`
}

var (
	readMessages = sync.OnceValues(func() ([]recordedMessage, error) { return readRecorded("testdata/messages.jsonl.gz") })
	readStats    = sync.OnceValues(func() ([]recordedMessage, error) { return readRecorded("testdata/stats.jsonl.gz") })
)

func readRecorded(name string) ([]recordedMessage, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	var all []recordedMessage
	for lines := bufio.NewScanner(z); lines.Scan(); {
		var m recordedMessage
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

// recordedOf are the recorded messages of a kind.
func recordedOf(tb testing.TB, kind string) []recordedMessage {
	tb.Helper()
	all, err := readMessages()
	require.NoError(tb, err)
	stats, err := readStats()
	require.NoError(tb, err)
	var some []recordedMessage
	for _, m := range slices.Concat(all, stats) {
		if m.Kind == kind {
			some = append(some, m)
		}
	}
	require.NotEmpty(tb, some)
	return some
}

// recordedNamed is the recorded message of this name, with the transaction ID 0.
func recordedNamed(tb testing.TB, name string) []byte {
	tb.Helper()
	all, err := readMessages()
	require.NoError(tb, err)
	for _, m := range all {
		if m.Name == name {
			return numberless(unhex(m.Hex))
		}
	}
	require.Fail(tb, "no recorded message", name)
	return nil
}

// spaced is unhex for hexadecimal in groups.
func spaced(s string) []byte { return unhex(strings.ReplaceAll(s, " ", "")) }

// numberless is msg with the transaction ID 0.
func numberless(msg []byte) []byte {
	binary.BigEndian.PutUint32(msg[4:], 0)
	return msg
}

var prefixes = map[ofgroup.Version]string{ofgroup.OpenFlow15: "of15-", ofgroup.OpenFlow13: "of13-"}

// requireMessage checks that m is encoded to want, twice, and behind what is there.
func requireMessage(tb testing.TB, want []byte, m ofconn.Message, v ofgroup.Version, what ...any) {
	tb.Helper()
	for range 2 {
		got, err := m.AppendMessage([]byte{0xaa}, v)
		require.NoError(tb, err, what...)
		require.Equal(tb, byte(0xaa), got[0], what...)
		require.Equal(tb, hex.EncodeToString(want), hex.EncodeToString(got[1:]), what...)
	}
}

// everyMessage is a message of each kind, with all that can be in it.
func everyMessage() map[string]ofconn.Message {
	return map[string]ofconn.Message{
		"flow":       layoutA[len(layoutA)/2].mod,
		"meter":      ofconn.MeterMod{ID: 1, Rate: 100, Burst: 20},
		"packet-out": ofconn.PacketOut{Actions: []ofgroup.Action{ofgroup.OutputGroup(1)}, Frame: make([]byte, 60)},
		"ports":      ofconn.PortDescRequest{},
		"role":       ofconn.RoleRequest{Role: ofconn.RoleMaster, Generation: 1},
		"async":      ofconn.AsyncConfig{PacketIn: ofconn.AllReasons},
		"config":     ofconn.SwitchConfig{MissSendLen: ofconn.WholePacket},
		"format":     ofconn.FormatPacketIn2,
		"controller": ofconn.ControllerID(7),
	}
}

func TestTheDeclaredLengthOfEveryMessageIsTrue(t *testing.T) {
	for name, m := range everyMessage() {
		for v := range prefixes {
			b, err := m.AppendMessage(nil, v)
			require.NoError(t, err, name)
			require.Len(t, b, int(binary.BigEndian.Uint16(b[2:])), name)
			require.Equal(t, byte(v), b[0], name)
		}
	}
}

func TestNoMessageIsEncodedInAVersionThatIsNotSpoken(t *testing.T) {
	for name, m := range everyMessage() {
		for _, v := range []ofgroup.Version{0, 1, 5, 7} {
			b, err := m.AppendMessage([]byte{1, 2}, v)
			require.ErrorIs(t, err, ofgroup.ErrVersion, name)
			require.Equal(t, []byte{1, 2}, b, name)
		}
	}
}
