package main

import (
	"bytes"
	"io"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/agent/members"
	"github.com/ofmcast/ofmcast/examples/agent/peers"
	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

var (
	otherNode = netip.MustParseAddr("172.31.0.2")
	thirdNode = netip.MustParseAddr("172.31.0.3")
)

// newNode is an agent without a switch, which believes to have a member port 1 and a tunnel port 50.
func newNode(t *testing.T, more ...string) *agent {
	t.Helper()
	o, err := parseOptions(append([]string{
		"-openflow", "unix:/nonexistent", "-ovsdb", "", "-tunnel", "vx0", "-node", "172.31.0.1", "-peers", "172.31.0.2,172.31.0.3",
	}, more...), io.Discard)
	require.NoError(t, err)
	a, err := newAgent(o, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	a.adoptPorts([]ofconn.PortDesc{desc(1, "p1"), desc(50, "vx0")})
	_, n := a.newLayout()
	require.True(t, n.nodes)
	a.cache.Advance(time.Now())
	return a
}

// says has an agent receive a report from a port.
func says(t *testing.T, a *agent, port ofgroup.Port, src netip.Addr, records ...igmp.Record) {
	t.Helper()
	frame, err := igmp.AppendFrame(nil, igmp.Header{EthSrc: igmp.MAC{2, 0, 0, 0, 0, 9}, Src: src}, &igmp.ReportV3{Records: records})
	require.NoError(t, err)
	a.onPacketIn(&ofconn.PacketIn{InPort: port, Frame: frame}, time.Now())
}

func toEx(g netip.Addr) igmp.Record { return igmp.Record{Type: igmp.ToEx, Group: g} }

func TestAnotherNodeIsBelievedThroughTheTunnelAlone(t *testing.T) {
	a := newNode(t)
	says(t, a, 50, netip.MustParseAddr("172.31.0.9"), toEx(anyGroup))
	require.Empty(t, a.cache.Memberships(mcast.Group{Addr: anyGroup}), "it is none of ours")
	says(t, a, 1, otherNode, toEx(anyGroup))
	held := a.cache.Memberships(mcast.Group{Addr: anyGroup})
	require.Len(t, held, 1)
	require.Equal(t, members.Port(1), held[0].Member, "a host that uses a node's address is a host")
	says(t, a, 50, otherNode, toEx(anyGroup))
	held = a.cache.Memberships(mcast.Group{Addr: anyGroup})
	require.Len(t, held, 2)
	require.Equal(t, members.Node(otherNode), held[1].Member)
	require.Equal(t, peers.Owner(otherNode), held[1].Owner)
}

// Two nodes of one address never hear of each other: who looks for the reason finds it in the log.
func TestANodeThatWasGivenOurAddressIsWarnedOf(t *testing.T) {
	a := newNode(t)
	var said bytes.Buffer
	a.calm = slog.New(slog.NewTextHandler(&said, nil))
	says(t, a, 50, a.o.node, toEx(anyGroup))
	require.Contains(t, said.String(), "another node says that it is this one")
	require.Empty(t, a.cache.Memberships(mcast.Group{Addr: anyGroup}))
}

// One node that wants everything takes nobody else's room.
func TestWhatOneNodeMayWantIsBounded(t *testing.T) {
	a := newNode(t, "-groups-per-port", "100")
	for n := range 300 {
		says(t, a, 50, otherNode, toEx(someGroup(n).Addr))
	}
	require.Len(t, a.cache.MembershipsOf(members.Node(otherNode)), 100)
	says(t, a, 50, thirdNode, toEx(anyGroup))
	require.Len(t, a.cache.MembershipsOf(members.Node(thirdNode)), 1)
}

// The switch sends to a node through the tunnel; routers, uplinks and the other nodes hear of ports only.
func TestWhatANodeWantsIsNotPassedOn(t *testing.T) {
	a := newNode(t)
	says(t, a, 50, otherNode, toEx(anyGroup))
	g := mcast.Group{Addr: anyGroup}
	b, ok := a.bucketOf(g, members.Node(otherNode))
	require.True(t, ok)
	require.Equal(t, "bucket_id:5001,actions=set_field:172.31.0.2->tun_dst,set_field:0->tun_id,resubmit(,111)", b.String())
	_, ok = a.bucketOf(g, members.Node(netip.MustParseAddr("172.31.0.9")))
	require.False(t, ok)
	s, _ := a.cache.Lookup(g)
	require.True(t, members.Local(s).IsNone())
	require.True(t, elsewhere(s, 7).IsNone())
	require.NoError(t, a.nodes.Sync(t.Context(), s))
	packets, _, _ := a.nodes.due(time.Now())
	require.Empty(t, packets)
	says(t, a, 1, netip.MustParseAddr("192.0.2.7"), toEx(anyGroup))
	s, _ = a.cache.Lookup(g)
	require.False(t, members.Local(s).IsNone())
	require.NoError(t, a.nodes.Sync(t.Context(), s))
	packets, _, _ = a.nodes.due(time.Now())
	require.Len(t, packets, 1)
}

func TestANodeThatIsRemovedWantsNothingAnyMore(t *testing.T) {
	list := filepath.Join(t.TempDir(), "nodes")
	require.NoError(t, os.WriteFile(list, []byte("172.31.0.1 172.31.0.2\n172.31.0.3\n"), 0o600))
	a := newNode(t, "-peers", "@"+list)
	for _, node := range []netip.Addr{otherNode, thirdNode} {
		for n := range 20 {
			says(t, a, 50, node, toEx(someGroup(n).Addr))
		}
	}
	// One that was never in a list, as a state file could have brought it.
	stray := members.Node(netip.MustParseAddr("172.31.0.9"))
	require.NoError(t, a.cache.Apply(mcast.Report[members.Member]{
		Group: someGroup(1), Member: stray, Kind: mcast.ChangeToExclude, Owner: peers.Owner(stray.Node), At: time.Now(),
	}))
	ended := make(chan error, 1)
	ctx := within(t, 20*time.Second)
	go func() { ended <- a.watchPeers(ctx) }()
	replace(t, list, "172.31.0.2, nobody")
	time.Sleep(2 * peersEvery)
	require.Len(t, a.nodes.list(), 2, "a list that cannot be read changes nothing")
	replace(t, list, "172.31.0.2")
	eventually(t, func() bool { return len(a.nodes.list()) == 1 }, 10*time.Second, 20*time.Millisecond)
	eventually(t, func() bool { return len(a.cache.MembershipsOf(stray)) == 0 }, time.Second, 20*time.Millisecond)
	require.Empty(t, a.cache.MembershipsOf(members.Node(thirdNode)))
	require.Len(t, a.cache.MembershipsOf(members.Node(otherNode)), 20)
	says(t, a, 50, thirdNode, toEx(anyGroup))
	require.Empty(t, a.cache.MembershipsOf(members.Node(thirdNode)), "and is not believed")
	l, n := a.newLayout()
	require.True(t, n.nodes && n.members)
	require.Equal(t, []netip.Addr{otherNode}, l.tunnel.peers)
}

// Who writes a file of peers need not replace it in one go.
func TestAFileOfNodesThatIsBeingWrittenRemovesNobody(t *testing.T) {
	list := filepath.Join(t.TempDir(), "nodes")
	const all = "172.31.0.2\n172.31.0.3\n"
	replace(t, list, all)
	a := newNode(t, "-peers", "@"+list)
	seen := a.nodes.list()
	for _, written := range []string{"", "172.31.0.2\n", all} {
		replace(t, list, written)
		var err error
		seen, err = a.lookAtPeers(seen)
		require.NoError(t, err)
		require.Len(t, a.nodes.list(), 2, "%q", written)
	}
	replace(t, list, "172.31.0.2\n")
	for range 2 {
		var err error
		seen, err = a.lookAtPeers(seen)
		require.NoError(t, err)
	}
	require.Len(t, a.nodes.list(), 1, "it stays so")
}

// After a restart the streams to other nodes flow on: the state file has them, and those that are nodes
// still are taken over.
func TestMembershipsOfOtherNodesOutliveARestart(t *testing.T) {
	remote := func(node netip.Addr, owner mcast.Owner) mcast.Report[members.Member] {
		r := mcast.Join(someGroup(1), members.Node(node), noon)
		r.Owner = owner
		return r
	}
	o := remembered(t, asItIs,
		remote(otherNode, peers.Owner(otherNode)), remote(thirdNode, peers.Owner(thirdNode)),
		remote(netip.MustParseAddr("172.31.0.7"), mcast.Owner{}), remote(netip.MustParseAddr("172.31.0.8"), peers.Owner(otherNode)))
	m, said := recalled(o)
	require.Empty(t, said)
	require.Len(t, m.Memberships.Memberships, 2, "no node's is what a host or another node holds")
	a := newNode(t, "-peers", "172.31.0.3")
	a.restore("file", m.Memberships, a.orPeer(m.sameNames(nil)))
	s, ok := a.cache.Lookup(someGroup(1))
	require.True(t, ok)
	require.Equal(t, 1, s.Len())
	require.True(t, s.Has(members.Node(thirdNode)))
	a.cache.ExpireUnconfirmed()
	require.Empty(t, a.cache.MembershipsOf(members.Node(thirdNode)), "unless it confirms it")
}

// The number of a node's bucket gives way to that of a port.
func TestANodesBucketTakesNoPortsNumber(t *testing.T) {
	l := withTunnel(newLayout([]port{{number: 50, role: roleTunnel}, member(5002, carriage{})}, nil, nil))
	for node, want := range map[netip.Addr]bool{otherNode: true, thirdNode: false} {
		b, ok := l.nodeBucket(node, 0)
		require.True(t, ok)
		_, has := b.ID()
		require.Equal(t, want, has, node)
	}
	require.NoError(t, l.peersGroup().Validate())
}

func TestWhatIsSaidOfTunnelsMustMakeSense(t *testing.T) {
	many := "10.0.0.0"
	for n := range peers.Max + 1 {
		many += "," + netip.AddrFrom4([4]byte{10, 0, byte(n >> 8), byte(n)}).Next().String()
	}
	ok := []string{"-tunnel", "vx0", "-node", "172.31.0.1"}
	for name, args := range map[string][]string{
		"peers of nobody":        {"-tunnel", "vx0", "-peers", "172.31.0.2"},
		"no tunnel":              {"-node", "172.31.0.1"},
		"two tunnels":            append(ok, "-tunnel", "gre0"),
		"no node":                {"-tunnel", "vx0", "-node", "here"},
		"a node of IPv6":         {"-tunnel", "vx0", "-node", "2001:db8::1"},
		"no peers":               append(ok, "-peers", "172.31.0.2,there"),
		"too many":               append(ok, "-peers", many),
		"a VNI of 25 bits":       append(ok, "-tunnel-key", "16777216"),
		"reports that never end": append(ok, "-tunnel-interval", "0.1s"),
		"prefixes without":       append(ok, "-inside-prefixes", "10.0.0.1"),
	} {
		_, err := parseOptions(args, io.Discard)
		require.Error(t, err, name)
		if name == "too many" {
			require.ErrorContains(t, err, "702 other nodes")
		}
	}
	o, err := parseOptions(append(ok, "-inside-prefixes", "10.1.0.7/16,192.0.2.0/24", "-tunnel-key", "16777215"), io.Discard)
	require.NoError(t, err)
	require.Equal(t, "vx0", o.tunnel)
	require.True(t, o.isInside(netip.MustParseAddr("10.1.200.1")))
	require.False(t, o.isInside(netip.MustParseAddr("10.2.0.1")))
	require.Contains(t, usage, "options:remote_ip=flow")
	require.True(t, strings.HasSuffix(usage, "Flags:\n"))
}
