package querier

import (
	"bytes"
	"encoding/hex"
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/internal/pcap"
	"github.com/stretchr/testify/require"
)

var (
	t0 = time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)

	ourMAC = igmp.MAC{0x00, 0x00, 0x5e, 0x00, 0x53, 0x02}
	ours   = addr("192.0.2.9")
	lower  = addr("192.0.2.1")
	higher = addr("192.0.2.200")
	nobody = addr("0.0.0.0")
	group  = addr("233.252.0.1")
)

func addr(s string) netip.Addr { return netip.MustParseAddr(s) }

func addrs(list ...string) []netip.Addr {
	var out []netip.Addr
	for _, s := range list {
		out = append(out, addr(s))
	}
	return out
}

// at is a time in seconds after the start.
func at(seconds float64) time.Time {
	return t0.Add(time.Duration(seconds * float64(time.Second)))
}

// start returns a Querier at 192.0.2.9 that has not been advanced yet.
func start(tb testing.TB, change ...func(*Config)) *Querier {
	tb.Helper()
	cfg := Config{MAC: ourMAC, Addrs: []netip.Addr{ours}}
	for _, f := range change {
		f(&cfg)
	}
	q, err := New(cfg)
	require.NoError(tb, err)
	return q
}

// heard is a general v3 query with the default values.
func heard(src netip.Addr, at time.Time) Heard {
	return Heard{Src: src, Version: 3, Group: nobody, MaxResp: 10 * time.Second, QRV: 2, QQI: 125 * time.Second, At: at}
}

// heardFrame is what a frame says.
func heardFrame(tb testing.TB, frame []byte, at time.Time) Heard {
	tb.Helper()
	v := decode(tb, frame)
	require.Equal(tb, igmp.TypeQuery, v.Type)
	return Heard{Src: v.Src, Version: v.Version, Group: v.Group, MaxResp: v.MaxResp, QRV: v.QRV, QQI: v.QQI, At: at}
}

func decode(tb testing.TB, frame []byte) *igmp.View {
	tb.Helper()
	var d igmp.Decoder
	v, err := d.Frame(frame)
	require.NoError(tb, err)
	return v
}

// run drives q like a program would until the end, and returns when it sent what, in seconds after the start.
func run(tb testing.TB, q *Querier, end float64) (times []float64) {
	tb.Helper()
	for now := later(t0, q.Next()); !now.After(at(end)); now = later(now, q.Next()) {
		for range q.Advance(now) {
			times = append(times, now.Sub(t0).Seconds())
		}
		require.True(tb, q.Next().After(now), "no progress")
	}
	return times
}

func unhex(tb testing.TB, s string) []byte {
	tb.Helper()
	b, err := hex.DecodeString(s)
	require.NoError(tb, err)
	return b
}

// packets reads one of the codec's captures.
func packets(tb testing.TB, capture string) []pcap.Packet {
	tb.Helper()
	b, err := os.ReadFile(filepath.Join("..", "testdata", "captures", capture+".pcap"))
	require.NoError(tb, err)
	all, err := pcap.ReadAll(bytes.NewReader(b))
	require.NoError(tb, err)
	return all
}
