package mcast_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/mcast"
)

// sample has one of everything.
func sample() mcast.Snapshot[string] {
	return mcast.Snapshot[string]{Memberships: []mcast.Membership[string]{
		{Group: g1, Member: "port1", Mode: mcast.Exclude, Left: 270 * time.Second, Age: time.Hour, V1: time.Second, V2: 260 * time.Second,
			Sources: []mcast.SourceTimer{{Addr: s1}, {Addr: s2, Left: 1500 * time.Millisecond}}},
		{Group: g1, Member: "port1", Owner: static, Mode: mcast.Include, Sources: []mcast.SourceTimer{{Addr: s3, Left: mcast.Forever}}},
		{Group: mcast.Group{Addr: netip.MustParseAddr("ff3e::1:2"), Segment: 4094}, Member: "<tunnel> \"é", Owner: node1, Mode: mcast.Exclude,
			Left: time.Nanosecond, Leaving: true, Unconfirmed: true},
	}}
}

// The encoding must not change as long as it has this version: a state file
// of an older release is still read.
func TestT9_TheEncodingOfASnapshotIsStable(t *testing.T) {
	golden, err := os.ReadFile("testdata/snapshot-v1.json")
	require.NoError(t, err)
	var in mcast.Snapshot[string]
	require.NoError(t, json.Unmarshal(golden, &in))
	require.Equal(t, sample(), in)
	out, err := json.MarshalIndent(in, "", "\t")
	require.NoError(t, err)
	require.Equal(t, strings.TrimSpace(string(golden)), string(out))

	var empty mcast.Snapshot[string]
	require.Empty(t, reread(t, empty).Memberships)
}

func TestT9_ADamagedSnapshotIsRefused(t *testing.T) {
	text, err := sample().MarshalJSON()
	require.NoError(t, err)
	refused := func(text []byte, why string) {
		t.Helper()
		s := mcast.Snapshot[string]{Memberships: sample().Memberships[:1]}
		require.ErrorIs(t, s.UnmarshalJSON(text), mcast.ErrSnapshot, "%s", text)
		require.ErrorContains(t, s.UnmarshalJSON(text), why)
		require.Equal(t, sample().Memberships[:1], s.Memberships, "what was there stays")
	}
	for n := range text {
		refused(text[:n], "")
		if bit := bytes.Clone(text); n > bytes.Index(text, []byte(`"crc32c"`)) && n < len(text)-2 {
			bit[n] ^= 1
			refused(bit, "")
		}
	}
	refused(bytes.Replace(text, []byte(`"version":1`), []byte(`"version":2`), 1), "version 2, this is 1")
	refused(bytes.Replace(text, []byte(`"version":1,`), nil, 1), "version 0, this is 1")
	refused([]byte(`{"members":{}}`), `format ""`)
	refused([]byte(`{"format":"mcast snapshot","version":1,"crc32c":"00000000"}`), "no memberships")
	refused([]byte(`{"format":"mcast snapshot","version":1,"crc32c":"00000000","memberships":[]}`), "checksum")
	refused([]byte(`[]`), "")
	refused(nil, "")
}

// What has a right sum need not make sense.
func TestASnapshotThatWasMadeUpIsRefused(t *testing.T) {
	for list, why := range map[string]string{
		`[{"mode":"NEITHER"}]`:                "NEITHER",
		`[{"mode":"INCLUDE","owner":"god"}]`:  "god",
		`[{"mode":"INCLUDE","left":"soon"}]`:  "soon",
		`[{"mode":"INCLUDE","group":"home"}]`: "home",
		`{}`:                                  "object",
	} {
		sum := crc32.Checksum([]byte(list), crc32.MakeTable(crc32.Castagnoli))
		text := fmt.Sprintf(`{"format":"mcast snapshot","version":1,"crc32c":"%08x","memberships":%s}`, sum, list)
		var s mcast.Snapshot[string]
		err := s.UnmarshalJSON([]byte(text))
		require.ErrorIs(t, err, mcast.ErrSnapshot)
		require.ErrorContains(t, err, why)
	}
}

// Members that are numbers or structs encode themselves as such.
func TestMembersOfOtherTypesAreEncoded(t *testing.T) {
	type port struct{ Bridge, Number uint32 }
	c := mcast.New(mcast.Config[port]{})
	require.NoError(t, c.Apply(mcast.Join(g1, port{1, 2}, sec(0))))
	text, err := json.Marshal(c.Snapshot())
	require.NoError(t, err)
	require.Contains(t, string(text), `"member":{"Bridge":1,"Number":2}`)
	var back mcast.Snapshot[port]
	require.NoError(t, json.Unmarshal(text, &back))
	require.Equal(t, c.Snapshot(), back)
}

func TestAMemberThatCannotBeEncodedIsAnError(t *testing.T) {
	c := mcast.New(mcast.Config[chan int]{})
	require.NoError(t, c.Apply(mcast.Join(g1, make(chan int), sec(0))))
	_, err := json.Marshal(c.Snapshot())
	require.Error(t, err)
}

// FuzzRestore feeds the memberships of a snapshot, with the right sum, into a
// cache: either nothing changes, or what is there can be, ends by itself, and
// comes out as it went in.
func FuzzRestore(f *testing.F) {
	for _, m := range sample().Memberships {
		text, err := json.Marshal([]mcast.Membership[string]{m})
		require.NoError(f, err)
		f.Add(text)
	}
	f.Add([]byte(`[{"group":"239.1.1.1","member":"a","mode":"EXCLUDE","left":"2562047h47m","age":"2562047h47m"}]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var s mcast.Snapshot[string]
		if json.Unmarshal(text, &s.Memberships) != nil {
			return
		}
		c := mcast.New(mcast.Config[string]{Limits: mcast.Limits{Memberships: 5}})
		_, err := c.AddSink("all", mcast.SyncFunc[string](changes), plain)
		require.NoError(t, err)
		done, err := c.Restore(s, epoch, nil)
		stats := c.Statistics()
		if err != nil {
			require.ErrorIs(t, err, mcast.ErrSnapshot)
			require.Zero(t, stats.Groups+stats.Memberships)
			return
		}
		require.Equal(t, len(s.Memberships), done.Restored+done.Refused)
		require.Equal(t, done.Restored, stats.Memberships)
		require.Equal(t, done.Restored, stats.Unconfirmed)
		require.Len(t, reread(t, c.Snapshot()).Memberships, done.Restored)
		require.NoError(t, c.Flush(t.Context()))
		c.Advance(at(101 * time.Hour))
		for _, m := range c.Snapshot().Memberships {
			require.Equal(t, mcast.Static, m.Owner.Kind)
			require.Equal(t, mcast.Forever, m.TimeLeft())
		}
	})
}
