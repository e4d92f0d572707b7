package main

import (
	"net/netip"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/agent/members"
	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// What is read from a switch is what would be put there: for random members with random filters, the
// forwarding that the guess explains is the one that it was guessed from.
func TestTheGuessExplainsWhatTheSwitchDoes(t *testing.T) {
	sources := []netip.Addr{netip.MustParseAddr("198.51.100.1"), netip.MustParseAddr("198.51.100.2"), netip.MustParseAddr("198.51.100.3")}
	kinds := []mcast.Kind{mcast.ChangeToInclude, mcast.ChangeToExclude}
	for n := range 1000 {
		cache := mcast.New(mcast.Config[members.Member]{})
		for i, m := range []members.Member{members.Port(1), members.Port(2), members.Node(otherNode)} {
			bits := n * (i*7 + 1)
			report := mcast.Report[members.Member]{Group: someGroup(1), Member: m, Owner: ownerOf(m), Kind: kinds[bits/8%2], At: noon}
			for i, s := range sources {
				if bits>>i&1 == 1 {
					report.Sources = append(report.Sources, s)
				}
			}
			require.NoError(t, cache.Apply(report))
		}
		require.Equal(t, forwarding(cache), forwarding(guessed(t, forwarding(cache))), "%d", n)
	}
}

type forwards map[netip.Addr][]members.Member

func forwarding(c *mcast.Cache[members.Member]) forwards {
	to := forwards{}
	s, ok := c.Lookup(someGroup(1))
	if !ok {
		return to
	}
	for source, wanting := range s.Forwarding() {
		to[source] = slices.SortedFunc(wanting, members.Compare)
	}
	return to
}

func guessed(t *testing.T, to forwards) *mcast.Cache[members.Member] {
	cache := mcast.New(mcast.Config[members.Member]{})
	_, err := cache.Restore(mcast.Snapshot[members.Member]{Memberships: wishes(someGroup(1), to)}, noon, nil)
	require.NoError(t, err)
	return cache
}

func TestBucketsLeadToPortsAndToNodes(t *testing.T) {
	l := withTunnel(newLayout([]port{{number: 50, role: roleTunnel}, {number: 100, role: roleGateway}}, []uint16{10}, nil))
	node, ok := l.nodeBucket(thirdNode, 10)
	require.True(t, ok)
	g := ofgroup.New(1000, ofgroup.All).AddBuckets(
		ofgroup.NewBucket(ofgroup.Output(1)),
		ofgroup.NewBucket(ofgroup.PushVLAN(ofgroup.TPID8021Q), ofgroup.Set(ofgroup.VLANVID, uint16(0x1000|10)), ofgroup.Output(3)),
		l.outside(l.ports[1], 10), node)
	require.Equal(t, []members.Member{members.Port(1), members.Port(3), members.Node(thirdNode)}, membersOf(g))
}

func TestAPortThatIsAnotherNowInheritsNothingFromTheSwitchEither(t *testing.T) {
	m := memory{Ports: map[ofgroup.Port]string{1: "one", 2: "two"}}
	same := m.sameNumbers(map[ofgroup.Port]string{1: "one", 2: "stranger", 3: "new"})
	for p, want := range map[ofgroup.Port]bool{1: true, 2: false, 3: true, 4: false} {
		number, ok := same(members.Port(p))
		require.Equal(t, want, ok, p)
		require.Equal(t, members.Port(p), number)
	}
}
