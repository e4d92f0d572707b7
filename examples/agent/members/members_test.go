package members_test

import (
	"encoding/json"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/agent/members"
	"github.com/ofmcast/ofmcast/mcast"
)

var node = members.Node(netip.MustParseAddr("192.0.2.7"))

func TestAMemberIsWrittenAsItsNumberOrItsAddress(t *testing.T) {
	all := []members.Member{members.Port(3), node, members.Port(0xfffffffe)}
	text, err := json.Marshal(all)
	require.NoError(t, err)
	require.JSONEq(t, `[3, "192.0.2.7", 4294967294]`, string(text))
	var back []members.Member
	require.NoError(t, json.Unmarshal(text, &back))
	require.Equal(t, all, back)
}

func TestWhatIsNoMemberIsRefused(t *testing.T) {
	for _, text := range []string{`""`, `"x"`, `-1`, `4294967296`, `{}`, `[1]`, `"3"`} {
		m := members.Port(1)
		require.Error(t, json.Unmarshal([]byte(text), &m), text)
		require.Equal(t, members.Port(1), m, text)
	}
}

func TestPortsComeBeforeNodes(t *testing.T) {
	later := members.Node(netip.MustParseAddr("192.0.2.10"))
	all := []members.Member{later, members.Port(10), node, members.Port(9)}
	slices.SortFunc(all, members.Compare)
	require.Equal(t, []members.Member{members.Port(9), members.Port(10), node, later}, all)
	require.Equal(t, "port 9", all[0].String())
	require.Equal(t, "node 192.0.2.10", all[3].String())
	require.True(t, all[3].IsNode())
	require.False(t, all[0].IsNode())
}

func TestWhatIsWantedHereIsWhatPortsWant(t *testing.T) {
	s1, s2, s3 := netip.MustParseAddr("198.51.100.1"), netip.MustParseAddr("198.51.100.2"), netip.MustParseAddr("198.51.100.3")
	cache := mcast.New(mcast.Config[members.Member]{})
	g := mcast.Group{Addr: netip.MustParseAddr("232.1.1.1")}
	for m, source := range map[members.Member]netip.Addr{node: s1, members.Port(3): s2, members.Port(4): s3} {
		require.NoError(t, cache.Apply(mcast.Report[members.Member]{
			Group: g, Member: m, Kind: mcast.ChangeToInclude, Sources: []netip.Addr{source}, At: time.Unix(1, 0),
		}))
	}
	s, _ := cache.Lookup(g)
	require.Equal(t, []netip.Addr{s2, s3}, slices.Collect(members.Local(s).Sources()))
	require.Equal(t, []netip.Addr{s3}, slices.Collect(members.Except(s, members.Port(3)).Sources()))
}
