package peers

import (
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/mcast"
)

var (
	noon  = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	nodeA = netip.MustParseAddr("192.0.2.1")
	nodeB = netip.MustParseAddr("192.0.2.2")
	nodeC = netip.MustParseAddr("192.0.2.3")
	mac   = igmp.MAC{2, 0, 0, 0, 0, 1}
)

func group(n int) mcast.Group {
	return mcast.Group{Addr: netip.AddrFrom4([4]byte{239, 1, byte(n >> 8), byte(n)})}
}

func source(n int) netip.Addr { return netip.AddrFrom4([4]byte{198, 51, byte(n >> 8), byte(n)}) }

func sources(n int) (all []netip.Addr) {
	for i := range n {
		all = append(all, source(i))
	}
	return all
}

// filter is what one member wants.
func filter(t testing.TB, kind mcast.Kind, sources ...netip.Addr) mcast.Filter {
	t.Helper()
	c := mcast.New(mcast.Config[int]{})
	require.NoError(t, c.Apply(mcast.Report[int]{Group: group(1), Kind: kind, Sources: sources, At: noon}))
	s, _ := c.Lookup(group(1))
	return s.Filter()
}

func all(t testing.TB) mcast.Filter { return filter(t, mcast.ChangeToExclude) }

func newExchange(t testing.TB, edit func(*Config)) *Exchange {
	t.Helper()
	cfg := Config{
		Node: nodeA, MAC: mac, Peers: []netip.Addr{nodeB, nodeC},
		Jitter: func(below time.Duration) time.Duration { return below - 1 },
	}
	if edit != nil {
		edit(&cfg)
	}
	x, err := New(cfg)
	require.NoError(t, err)
	return x
}

// said is what a packet says, in short, and that it is a packet that the kernel could have sent.
func said(t testing.TB, p Packet) igmp.Message {
	t.Helper()
	var d igmp.Decoder
	v, err := d.Frame(p.Frame)
	require.NoError(t, err)
	require.Equal(t, mac, v.EthSrc)
	require.True(t, v.RouterAlert)
	require.EqualValues(t, 1, v.TTL)
	return v.Message()
}

// records are those of all reports among the packets.
func records(t testing.TB, packets []Packet) (out []igmp.Record) {
	t.Helper()
	for _, p := range packets {
		if r, ok := said(t, p).(*igmp.ReportV3); ok {
			out = append(out, r.Records...)
		}
	}
	return out
}

// sent is what is sent at each of these times after noon.
func sent(t testing.TB, x *Exchange, until time.Duration) map[time.Duration][]igmp.Record {
	t.Helper()
	out := map[time.Duration][]igmp.Record{}
	for {
		next, ok := x.Next()
		if !ok || next.Sub(noon) > until {
			return out
		}
		got := records(t, x.Advance(next))
		if len(got) > 0 {
			out[next.Sub(noon)] = got
		}
		after, ok := x.Next()
		require.True(t, !ok || after.After(next), "stuck at %v", next)
	}
}

func record(t igmp.RecordType, g mcast.Group, sources ...netip.Addr) igmp.Record {
	if sources == nil {
		sources = []netip.Addr{}
	}
	return igmp.Record{Type: t, Group: g.Addr, Sources: sources}
}

// plain makes nil and empty lists one.
func plain(records []igmp.Record) []igmp.Record {
	for i := range records {
		records[i].Sources = append([]netip.Addr{}, records[i].Sources...)
	}
	return slices.Clone(records)
}
