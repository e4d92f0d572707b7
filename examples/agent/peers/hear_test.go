package peers

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/agent/members"
	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/mcast"
)

func newCache() *mcast.Cache[members.Member] {
	return mcast.New(mcast.Config[members.Member]{})
}

// deliver has b hear what a says now.
func deliver(t testing.TB, a, b *Exchange, to *mcast.Cache[members.Member], now time.Time) {
	t.Helper()
	for _, p := range a.Advance(now) {
		reports, err := b.Heard(p.Frame, now)
		require.NoError(t, err)
		for _, r := range reports {
			require.NoError(t, to.Apply(r))
		}
	}
	to.Advance(now)
}

// Memberships of a node are its own, end with its lease, and at once with its leave or with the node.
func TestWhatANodeWantsLivesAsLongAsItSaysSo(t *testing.T) {
	a, b := newExchange(t, nil), newExchange(t, func(c *Config) { c.Node, c.Peers = nodeB, []netip.Addr{nodeA, nodeC} })
	cache := newCache()
	a.Set(group(1), all(t), noon)
	a.Set(group(2), all(t), noon)
	deliver(t, a, b, cache, noon)
	held := cache.MembershipsOf(members.Node(nodeA))
	require.Len(t, held, 2)
	require.Equal(t, mcast.Owner{Kind: mcast.Remote, ID: "192.0.2.1"}, held[0].Owner)
	require.Equal(t, 22*time.Second, held[0].TimeLeft())

	a.Set(group(2), mcast.Filter{}, noon.Add(time.Second))
	deliver(t, a, b, cache, noon.Add(time.Second))
	require.Len(t, cache.MembershipsOf(members.Node(nodeA)), 1, "a leave is at once")

	cache.Advance(noon.Add(24 * time.Second))
	require.Empty(t, cache.MembershipsOf(members.Node(nodeA)), "of a silent node nothing is left")
}

func frame(t testing.TB, h igmp.Header, m igmp.Message) []byte {
	t.Helper()
	h.EthSrc = mac
	f, err := igmp.AppendFrame(nil, h, m)
	require.NoError(t, err)
	return f
}

func TestNobodyButAPeerIsBelieved(t *testing.T) {
	report := &igmp.ReportV3{Records: []igmp.Record{record(igmp.ToEx, group(1))}}
	broken := frame(t, igmp.Header{Src: nodeB}, report)
	broken[len(broken)-1]++
	for name, tc := range map[string]struct {
		frame []byte
		want  error
	}{
		"a stranger":         {frame(t, igmp.Header{Src: netip.MustParseAddr("192.0.2.9")}, report), ErrStranger},
		"ourselves":          {frame(t, igmp.Header{Src: nodeA}, report), ErrOurs},
		"nobody":             {frame(t, igmp.Header{Src: netip.IPv4Unspecified()}, report), ErrStranger},
		"a stranger's query": {frame(t, igmp.Header{Src: netip.IPv4Unspecified()}, &igmp.Query{Version: 3, Group: netip.IPv4Unspecified()}), ErrStranger},
		"a host's join":      {frame(t, igmp.Header{Src: nodeB}, &igmp.ReportV2{Group: group(1).Addr}), ErrUnknown},
		"a host's leave":     {frame(t, igmp.Header{Src: nodeB}, &igmp.Leave{Group: group(1).Addr}), ErrUnknown},
		"a specific query":   {frame(t, igmp.Header{Src: nodeB}, &igmp.Query{Version: 3, Group: group(1).Addr}), ErrUnknown},
		"two tags":           {frame(t, igmp.Header{Src: nodeB, VLANs: []igmp.VLAN{{ID: 1}, {ID: 2}}}, report), ErrUnknown},
		"a broken frame":     {broken, igmp.ErrChecksum},
		"no frame":           {nil, igmp.ErrFrameShort},
	} {
		x := newExchange(t, nil)
		reports, err := x.Heard(tc.frame, noon)
		require.ErrorIs(t, err, tc.want, name)
		require.Empty(t, reports, name)
		require.Empty(t, x.answers, name)
	}
}

// Of what a peer says only what a node can want is taken.
func TestRecordsThatMakeNoSenseAreLeftOut(t *testing.T) {
	x := newExchange(t, nil)
	raw := frame(t, igmp.Header{Src: nodeB, VLANs: []igmp.VLAN{{ID: 10}}}, &igmp.ReportV3{Records: []igmp.Record{
		record(igmp.ToEx, mcast.Group{Addr: netip.MustParseAddr("224.0.0.251")}),
		record(igmp.ToIn, group(1), source(1)),
	}})
	reports, err := x.Heard(raw, noon)
	require.NoError(t, err)
	require.Equal(t, []mcast.Report[members.Member]{{
		Group: mcast.Group{Addr: group(1).Addr, Segment: 10}, Member: members.Node(nodeB), Kind: mcast.ChangeToInclude,
		Sources: []netip.Addr{source(1)}, Version: 3, Owner: Owner(nodeB), Lease: 22 * time.Second, At: noon,
	}}, reports)
	for i := range raw {
		raw[i] = 0xff
	}
	require.Equal(t, source(1), reports[0].Sources[0], "a report owns its memory")
}

func TestWhoIsNoPeerAnyMoreIsNotAnswered(t *testing.T) {
	x := newExchange(t, nil)
	for _, src := range []netip.Addr{nodeB, nodeC} {
		_, err := x.Heard(frame(t, igmp.Header{Src: src}, &igmp.Query{Version: 3, Group: netip.IPv4Unspecified()}), noon)
		require.NoError(t, err)
	}
	x.Set(group(1), all(t), noon)
	sent(t, x, 0)
	require.NoError(t, x.SetPeers([]netip.Addr{nodeC}))
	var to []netip.Addr
	for _, p := range x.Advance(noon.Add(400 * time.Millisecond)) {
		to = append(to, p.To)
	}
	require.Empty(t, to)
	for _, p := range x.Advance(noon.Add(499 * time.Millisecond).Add(time.Millisecond - 1)) {
		to = append(to, p.To)
	}
	require.Equal(t, []netip.Addr{nodeC}, to)
}

// FuzzHeard: whatever comes through a tunnel is refused or is reports that the cache takes.
func FuzzHeard(f *testing.F) {
	report := &igmp.ReportV3{Records: []igmp.Record{record(igmp.IsEx, group(1)), record(igmp.ToIn, group(2), source(1))}}
	f.Add(frame(f, igmp.Header{Src: nodeB}, report))
	f.Add(frame(f, igmp.Header{Src: nodeC, VLANs: []igmp.VLAN{{ID: 10}}}, report))
	f.Add(frame(f, igmp.Header{Src: nodeB}, &igmp.Query{Version: 3, Group: netip.IPv4Unspecified()}))
	f.Fuzz(func(t *testing.T, raw []byte) {
		x := newExchange(t, nil)
		reports, err := x.Heard(raw, noon)
		if err != nil && len(reports)+len(x.answers) > 0 {
			t.Fatal("refused, and taken")
		}
		cache := newCache()
		for _, r := range reports {
			if err := cache.Apply(r); err != nil {
				t.Fatal(err)
			}
			if r.Member.Node != nodeB && r.Member.Node != nodeC {
				t.Fatal(r.Member)
			}
		}
	})
}
