package peers

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/mcast"
)

func TestAChangeIsSaidAtOnceAndAsOftenAsRobust(t *testing.T) {
	x := newExchange(t, func(c *Config) { c.Robustness = 3 })
	_, due := x.Next()
	require.False(t, due, "there is nothing to say")
	x.Set(group(1), all(t), noon)
	x.Set(group(2), filter(t, mcast.ChangeToInclude, source(1)), noon)
	got := sent(t, x, time.Hour)
	require.Len(t, got, 3)
	for _, at := range []time.Duration{0, repeatAfter, 2 * repeatAfter} {
		require.Equal(t, []igmp.Record{record(igmp.ToEx, group(1)), record(igmp.ToIn, group(2), source(1))}, plain(got[at]), at)
	}
	x.Set(group(1), all(t), noon.Add(time.Hour))
	_, due = x.Next()
	require.False(t, due, "it is known already")
}

// What is said of a change is always the newest: what was said before it need not have arrived.
func TestANewChangeTakesThePlaceOfTheOneBefore(t *testing.T) {
	x := newExchange(t, nil)
	x.Set(group(1), all(t), noon)
	require.Len(t, records(t, x.Advance(noon)), 1)
	x.Set(group(1), mcast.Filter{}, noon.Add(100*time.Millisecond))
	got := sent(t, x, time.Hour)
	require.Equal(t, map[time.Duration][]igmp.Record{
		100 * time.Millisecond: {record(igmp.ToIn, group(1))},
		600 * time.Millisecond: {record(igmp.ToIn, group(1))},
	}, map[time.Duration][]igmp.Record{
		100 * time.Millisecond: plain(got[100*time.Millisecond]), 600 * time.Millisecond: plain(got[600*time.Millisecond]),
	})
	require.Len(t, got, 2)
	require.Empty(t, x.wants, "what nobody wants takes no memory")
	require.Empty(t, x.changed)
}

func TestEverythingIsSaidAgainEveryInterval(t *testing.T) {
	x := newExchange(t, func(c *Config) { c.Interval = 5 * time.Second })
	x.Begin(noon)
	require.Len(t, x.Advance(noon), 1, "a query")
	x.Set(group(1), filter(t, mcast.ChangeToExclude, source(7)), noon.Add(time.Second))
	x.Set(group(2), filter(t, mcast.ChangeToInclude, source(1), source(2)), noon.Add(time.Second))
	got := sent(t, x, 10*time.Second)
	state := []igmp.Record{record(igmp.IsEx, group(1), source(7)), record(igmp.IsIn, group(2), source(1), source(2))}
	require.Equal(t, state, plain(got[5*time.Second]))
	require.Equal(t, state, plain(got[10*time.Second]))
	require.Len(t, got, 4, "and the change, twice")
	require.Equal(t, 12*time.Second, Config{Interval: 5 * time.Second}.Lease())
}

func TestReportsFitTheTunnel(t *testing.T) {
	const mtu = 576
	x := newExchange(t, func(c *Config) { c.MTU = mtu })
	x.Begin(noon)
	for n := range 500 {
		x.Set(group(n), all(t), noon)
	}
	packets := x.Advance(noon)
	groups := map[netip.Addr]int{}
	for _, p := range packets {
		require.LessOrEqual(t, len(p.Frame)-14, mtu)
		if r, ok := said(t, p).(*igmp.ReportV3); ok {
			for _, r := range r.Records {
				groups[r.Group]++
			}
		}
	}
	const header, each = 24 + 8, 8
	perPacket := (mtu - header) / each
	require.Len(t, packets, 1+2*(500/perPacket+1), "a query, the changes, and everything, in as few packets as can be")
	require.Len(t, groups, 500)
	for g, n := range groups {
		require.Equal(t, 2, n, g)
	}
}

// More sources than a packet holds arrive all, as if they had been in one record; the cache says what
// is made of them.
func TestSourcesThatFillSeveralPacketsAllCount(t *testing.T) {
	for name, f := range map[string]mcast.Filter{
		"include": filter(t, mcast.ChangeToInclude, sources(900)...),
		"exclude": filter(t, mcast.ChangeToExclude, sources(300)...),
		"leave":   {},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := newExchange(t, nil), newExchange(t, func(c *Config) { c.Node, c.Peers = nodeB, []netip.Addr{nodeA} })
			other := newCache()
			a.Set(group(1), filter(t, mcast.ChangeToInclude, source(5000), source(2)), noon)
			deliver(t, a, b, other, noon)
			a.Set(group(1), f, noon.Add(time.Second))
			deliver(t, a, b, other, noon.Add(time.Second))
			s, _ := other.Lookup(group(1))
			require.True(t, f.Equal(s.Filter()), "%v", s.Filter())
		})
	}
}

// A list of sources to block is cut where it is too long: what comes too much is better than what is
// missed.
func TestAnExcludeListThatIsTooLongIsCut(t *testing.T) {
	x := newExchange(t, nil)
	x.Set(group(1), filter(t, mcast.ChangeToExclude, sources(900)...), noon)
	got := records(t, x.Advance(noon))
	require.Len(t, got, 1)
	require.Len(t, got[0].Sources, (1450-40)/4)
}

func TestEachVLANHasReportsOfItsOwn(t *testing.T) {
	x := newExchange(t, nil)
	tagged := group(1)
	tagged.Segment = 10
	x.Set(tagged, all(t), noon)
	x.Set(group(1), all(t), noon)
	packets := x.Advance(noon)
	require.Len(t, packets, 2)
	for i, want := range []uint16{0, 10} {
		var d igmp.Decoder
		v, err := d.Frame(packets[i].Frame)
		require.NoError(t, err)
		require.Equal(t, want != 0, len(v.VLANs()) == 1)
		if want != 0 {
			require.Equal(t, want, v.VLANs()[0].ID)
		}
	}
}

// Of a storm many changes are in one packet.
func TestChangesOfAStormShareReports(t *testing.T) {
	x := newExchange(t, func(c *Config) { c.Robustness = 1 })
	var packets []Packet
	for n := range 1000 {
		now := noon.Add(time.Duration(n) * 100 * time.Microsecond)
		x.Set(group(n), all(t), now)
		packets = append(packets, x.Advance(now)...)
	}
	packets = append(packets, x.Advance(noon.Add(time.Second))...)
	require.Len(t, records(t, packets), 1000)
	require.LessOrEqual(t, len(packets), 11)
}

func TestWhoStartsAsksAndIsAnsweredAloneWithinASecond(t *testing.T) {
	a := newExchange(t, nil)
	b := newExchange(t, func(c *Config) { c.Node, c.Peers = nodeB, []netip.Addr{nodeA, nodeB, nodeC} })
	b.Set(group(3), all(t), noon.Add(-time.Minute))
	sent(t, b, 0)
	a.Begin(noon)
	packets := a.Advance(noon)
	require.Len(t, packets, 1)
	require.Equal(t, &igmp.Query{
		Version: 3, Group: netip.IPv4Unspecified(), MaxResp: time.Second, QRV: 2, QQI: 10 * time.Second,
	}, said(t, packets[0]))
	for range 2 { // the second changes nothing
		_, err := b.Heard(packets[0].Frame, noon)
		require.NoError(t, err)
	}
	due, ok := b.Next()
	require.True(t, ok)
	require.Less(t, due.Sub(noon), time.Second)
	answer := b.Advance(due)
	require.Len(t, answer, 1)
	require.Equal(t, nodeA, answer[0].To)
	require.Equal(t, []igmp.Record{record(igmp.IsEx, group(3))}, plain(records(t, answer)))
	require.Empty(t, b.Advance(due))
	require.Len(t, sent(t, a, 5*time.Second), 0)
	require.Zero(t, a.asks.left, "it has asked as often as is robust")
}

func TestNobodyIsToldWhereNobodyIs(t *testing.T) {
	x := newExchange(t, func(c *Config) { c.Peers = []netip.Addr{nodeA} })
	x.Begin(noon)
	x.Set(group(1), all(t), noon)
	x.Set(group(2), all(t), noon)
	x.Set(group(2), mcast.Filter{}, noon)
	require.Empty(t, x.Advance(noon))
	require.Len(t, x.wants, 1)
	require.NoError(t, x.SetPeers([]netip.Addr{nodeB}))
	x.Begin(noon.Add(time.Second))
	require.Equal(t, []igmp.Record{record(igmp.IsEx, group(1))}, plain(records(t, x.Advance(noon.Add(time.Second)))))
}

func TestWhoLeavesTakesBackAllHeWanted(t *testing.T) {
	x := newExchange(t, nil)
	x.Begin(noon)
	x.Set(group(1), all(t), noon)
	x.Set(group(2), filter(t, mcast.ChangeToInclude, source(1)), noon)
	x.Advance(noon)
	x.Leave(noon.Add(100 * time.Millisecond))
	got := sent(t, x, time.Hour)
	require.Len(t, got, 2, "as often as any change, and never again")
	for _, at := range []time.Duration{100 * time.Millisecond, 600 * time.Millisecond} {
		require.Equal(t, []igmp.Record{record(igmp.ToIn, group(1)), record(igmp.ToIn, group(2))}, plain(got[at]), at)
	}
	_, due := x.Next()
	require.False(t, due)
	require.Empty(t, x.wants)
}

func TestWhoLeavesNobodyHasNothingToSay(t *testing.T) {
	x := newExchange(t, func(c *Config) { c.Peers = nil })
	x.Begin(noon)
	x.Set(group(1), all(t), noon)
	x.Leave(noon)
	require.Empty(t, x.Advance(noon))
	_, due := x.Next()
	require.False(t, due)
}
