package main

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/agent/members"
	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// someGroup is one of 250 groups.
func someGroup(n int) mcast.Group {
	return mcast.Group{Addr: netip.AddrFrom4([4]byte{239, 7, 7, byte(n)})}
}

// remembered writes a state file as an agent with these ports and memberships does, changed by edit.
func remembered(t testing.TB, edit func(*memory), joins ...mcast.Report[members.Member]) options {
	t.Helper()
	o, err := parseOptions([]string{"-state", filepath.Join(t.TempDir(), "state")}, io.Discard)
	require.NoError(t, err)
	cache := mcast.New(mcast.Config[members.Member]{})
	for _, j := range joins {
		require.NoError(t, cache.Apply(j))
	}
	m := memory{
		Bridge: o.bridge, OpenFlow: o.openflow, Ports: map[ofgroup.Port]string{1: "one", 2: "two", 3: "three"},
		Memberships: cache.Snapshot(),
	}
	edit(&m)
	require.NoError(t, memoryKind.Write(o.state, m))
	return o
}

func asItIs(*memory) {}

// replace writes a file anew, so that who reads it at that time finds the old text or the new one.
func replace(t testing.TB, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path+".new", []byte(text), 0o600))
	require.NoError(t, os.Rename(path+".new", path))
}

// recalled is what an agent makes of the state file, and what it says.
func recalled(o options) (memory, string) {
	var said bytes.Buffer
	m := recall(o, slog.New(slog.NewTextHandler(&said, nil)))
	return m, said.String()
}

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func TestMembershipsComeBackByTheNamesOfTheirPorts(t *testing.T) {
	o := remembered(t, asItIs, mcast.Join(someGroup(1), members.Port(1), noon), mcast.Join(someGroup(1), members.Port(2), noon),
		mcast.Join(someGroup(2), members.Port(3), noon), mcast.Join(someGroup(2), members.Port(4), noon))
	m, said := recalled(o)
	require.Empty(t, said)
	cache := mcast.New(mcast.Config[members.Member]{})
	// Two ports have swapped their numbers, one is gone, one has the number of another one; that of port
	// 4, which has no name, is somebody's now.
	now := map[ofgroup.Port]string{2: "one", 1: "two", 3: "stranger", 4: ""}
	done, err := cache.Restore(m.Memberships, noon.Add(time.Hour), m.sameNames(now))
	require.NoError(t, err)
	require.Equal(t, mcast.Restored{Restored: 2, Dropped: 2}, done)
	require.Len(t, cache.Memberships(someGroup(1)), 2)
	require.Len(t, cache.MembershipsOf(members.Port(1)), 1)
	require.Empty(t, cache.Memberships(someGroup(2)))
	require.Equal(t, 2, cache.Statistics().Unconfirmed)
}

func TestAStateFileThatIsOfNoUseIsNamedAndIgnored(t *testing.T) {
	whole := func(*testing.T, string) {}
	for name, tc := range map[string]struct {
		edit  func(*memory)
		spoil func(t *testing.T, path string)
	}{
		"other bridge": {func(m *memory) { m.Bridge = "br1" }, whole},
		"other switch": {func(m *memory) { m.OpenFlow = "unix:/elsewhere" }, whole},
		"cut short": {asItIs, func(t *testing.T, path string) {
			require.NoError(t, os.Truncate(path, 100))
		}},
		"empty": {asItIs, func(t *testing.T, path string) {
			require.NoError(t, os.Truncate(path, 0))
		}},
		"altered": {asItIs, func(t *testing.T, path string) {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(path, bytes.Replace(text, []byte("239.7.7.1"), []byte("239.7.7.2"), 1), 0o600))
		}},
		"something else": {asItIs, func(t *testing.T, path string) {
			require.NoError(t, os.WriteFile(path, []byte(`{"format":"ofmcast agent","version":2}`), 0o600))
		}},
		"no file": {asItIs, func(t *testing.T, path string) {
			require.NoError(t, os.Remove(path))
			require.NoError(t, os.Mkdir(path, 0o700))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			o := remembered(t, tc.edit, mcast.Join(someGroup(1), members.Port(1), noon))
			tc.spoil(t, o.state)
			m, said := recalled(o)
			require.Equal(t, memory{}, m)
			require.Contains(t, said, "level=ERROR")
			require.Contains(t, said, o.state)
		})
	}
	o := remembered(t, asItIs)
	require.NoError(t, os.Remove(o.state))
	m, said := recalled(o)
	require.Equal(t, memory{}, m)
	require.Empty(t, said, "the first start")
}

// A state file says what hosts have told an agent: whatever else it says was not.
func TestAStateFileCannotSayWhatNoHostCan(t *testing.T) {
	static := mcast.Join(someGroup(1), members.Port(1), noon)
	static.Owner.Kind = mcast.Static
	local := mcast.Join(mcast.Group{Addr: netip.MustParseAddr("224.0.0.251")}, members.Port(1), noon)
	six := mcast.Join(mcast.Group{Addr: netip.MustParseAddr("ff3e::8000:1")}, members.Port(1), noon)
	o := remembered(t, asItIs, static, local, six, mcast.Join(someGroup(2), members.Port(1), noon))
	m, _ := recalled(o)
	require.Len(t, m.Memberships.Memberships, 1)
	require.Equal(t, someGroup(2), m.Memberships.Memberships[0].Group)
}

func TestAStateFileCannotExceedTheLimits(t *testing.T) {
	var joins []mcast.Report[members.Member]
	for n := range 50 {
		joins = append(joins, mcast.Join(someGroup(n), members.Port(1), noon), mcast.Join(someGroup(n), members.Port(2), noon))
	}
	o := remembered(t, asItIs, joins...)
	o.groupsPerPort = 5
	var said bytes.Buffer
	a, err := newAgent(o, slog.New(slog.NewTextHandler(&said, nil)))
	require.NoError(t, err)
	a.past = recall(o, a.log)
	a.restore("file", a.past.Memberships, a.past.sameNames(map[ofgroup.Port]string{1: "one", 2: "two"}))
	require.Equal(t, 10, a.cache.Statistics().Members)
	require.Contains(t, said.String(), "overLimits=90")
}

func TestTheLastWordIsWrittenOnlyByAnAgentThatKnowsTheFirst(t *testing.T) {
	o := remembered(t, asItIs, mcast.Join(someGroup(1), members.Port(1), noon))
	before, err := os.ReadFile(o.state)
	require.NoError(t, err)
	a, err := newAgent(o, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	require.NoError(t, a.leave())
	after, err := os.ReadFile(o.state)
	require.NoError(t, err)
	require.Equal(t, string(before), string(after), "the switch was never there, and nothing restored")
	close(a.restored)
	require.NoError(t, a.leave())
	m, said := recalled(o)
	require.Empty(t, said)
	require.Empty(t, m.Memberships.Memberships)
}

// Whatever a state file says, it is an error or within the limits.
func FuzzRecall(f *testing.F) {
	for _, kind := range []string{"null", `{}`, `{"bridge":"br0"}`} {
		f.Add([]byte(kind))
	}
	o := remembered(f, asItIs, mcast.Join(someGroup(1), members.Port(1), noon))
	var whole struct{ Body json.RawMessage }
	text, err := os.ReadFile(o.state)
	require.NoError(f, err)
	require.NoError(f, json.Unmarshal(text, &whole))
	f.Add([]byte(whole.Body))
	f.Fuzz(func(t *testing.T, body []byte) {
		if !json.Valid(body) || memoryKind.Write(o.state, json.RawMessage(body)) != nil {
			t.Skip("no JSON")
		}
		m, said := recalled(o)
		limits := mcast.Limits{Groups: 3, Memberships: 4, GroupsPerMember: 2, SourcesPerMember: 2, Sources: 3}
		cache := mcast.New(mcast.Config[members.Member]{Limits: limits})
		done, err := cache.Restore(m.Memberships, noon, m.sameNames(map[ofgroup.Port]string{1: "one", 2: "two"}))
		if err != nil || said != "" {
			require.Zero(t, done.Restored)
		}
		have := cache.Statistics()
		if have.Groups > limits.Groups || have.Members > limits.Memberships || have.Sources > limits.Sources {
			t.Fatalf("%+v", have)
		}
	})
}
