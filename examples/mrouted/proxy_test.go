package main

import (
	"fmt"
	"log/slog"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/igmp/igmpconn"
	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/mroute"
)

var (
	start  = time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC)
	group  = netip.MustParseAddr("239.1.1.1")
	single = netip.MustParseAddr("232.1.1.1")
	s1     = netip.MustParseAddr("198.51.100.1")
	s2     = netip.MustParseAddr("198.51.100.2")
)

// rig is a proxy with the inside interfaces in1 and in2, the outside ones out0 and out1, and the test's clock.
type rig struct {
	*proxy
	t    *testing.T
	sent map[string][]*igmp.View
}

func newRig(t *testing.T) *rig {
	t.Helper()
	o := parse(t, "-inside", "in1,in2", "-outside", "out0,out1")
	r := &rig{proxy: newProxy(o, start, slog.New(slog.DiscardHandler)), t: t, sent: map[string][]*igmp.View{}}
	for i := range r.inside {
		require.NoError(t, r.attach(r.inside[i], link(i), r.keep(r.inside[i].name)))
	}
	r.advance(start)
	return r
}

// link is that of an inside interface.
func link(i int) igmpconn.Link {
	return igmpconn.Link{
		Name: fmt.Sprintf("in%d", i+1), Index: i + 2, Up: true, MAC: igmp.MAC{2, byte(i), 9}, MTU: 1500,
		Addrs: []netip.Addr{netip.AddrFrom4([4]byte{192, 0, byte(i + 1), 9})},
	}
}

// keep is what sends on an interface.
func (r *rig) keep(name string) func([]byte) error {
	return func(frame []byte) error {
		var d igmp.Decoder
		v, err := d.Frame(frame)
		require.NoError(r.t, err)
		r.sent[name] = append(r.sent[name], v.Clone())
		return nil
	}
}

// until moves the clock to a time after the start, with all that is due on the way.
func (r *rig) until(d time.Duration) {
	end := start.Add(d)
	for next, ok := r.next(); ok && !next.After(end); next, ok = r.next() {
		r.advance(next)
	}
	r.advance(end)
}

// says has a host inside, by the last number of its address, say something at a time after the start.
func (r *rig) says(d time.Duration, segment int, n byte, m igmp.Message) {
	r.t.Helper()
	r.until(d)
	src := netip.AddrFrom4([4]byte{192, 0, byte(segment + 1), n})
	frame, err := igmp.AppendFrame(nil, igmp.Header{EthSrc: igmp.MAC{2, n}, Src: src}, m)
	require.NoError(r.t, err)
	r.frame(r.inside[segment], igmpconn.Frame{Data: frame, Len: len(frame), At: start.Add(d)})
}

func record(kind igmp.RecordType, g netip.Addr, sources ...netip.Addr) igmp.Message {
	return &igmp.ReportV3{Records: []igmp.Record{{Type: kind, Group: g, Sources: sources}}}
}

// ways is where a stream goes that arrives at an interface.
func (r *rig) ways(source, g netip.Addr, in string) (out []string) {
	for _, o := range r.policy.route(mroute.Flow{Source: source, Group: g, In: in}).Out {
		out = append(out, o.Interface)
	}
	return out
}

func (r *rig) wanted(g netip.Addr) string {
	s, ok := r.cache.Lookup(mcast.Group{Addr: g})
	if !ok {
		return ""
	}
	return s.Filter().String()
}

func TestStreamsGoWhereTheirSourceIsWanted(t *testing.T) {
	r := newRig(t)
	require.Empty(t, r.ways(s1, group, "out0"))
	require.Equal(t, []string{"out0", "out1"}, r.ways(s1, group, "in1"), "those outside say there what they want")

	r.says(time.Second, 0, 1, record(igmp.ToEx, group, s1))
	r.says(2*time.Second, 1, 2, record(igmp.Allow, group, s1))
	require.Equal(t, "EXCLUDE{}", r.wanted(group), "together: EXCLUDE{S1} and INCLUDE{S1}")
	require.Equal(t, []string{"in2"}, r.ways(s1, group, "out0"))
	require.Equal(t, []string{"in1"}, r.ways(s2, group, "out0"))
	require.Equal(t, []string{"out0", "out1"}, r.ways(s1, group, "in2"), "not back where it came from")
	require.Equal(t, []string{"in2", "out0", "out1"}, r.ways(s1, group, "in1"))
	require.Empty(t, r.ways(s1, netip.MustParseAddr("239.1.1.2"), "out0"))
}

func TestTheSourceSpecificRangeKnowsNamedSourcesAlone(t *testing.T) {
	r := newRig(t)
	r.says(time.Second, 0, 1, &igmp.ReportV2{Group: single})
	r.says(time.Second, 0, 1, record(igmp.ToEx, single))
	r.says(time.Second, 0, 1, record(igmp.IsEx, single, s2))
	require.Empty(t, r.wanted(single))
	r.says(2*time.Second, 1, 2, record(igmp.Allow, single, s1))
	require.Equal(t, "INCLUDE{198.51.100.1}", r.wanted(single))
	require.Equal(t, []string{"in2"}, r.ways(s1, single, "out0"))
	require.Empty(t, r.ways(s2, single, "out0"))
}

func TestALeaveIsCheckedWhereItWasSaid(t *testing.T) {
	r := newRig(t)
	r.says(time.Second, 0, 1, &igmp.ReportV2{Group: group})
	r.says(time.Second, 1, 2, record(igmp.ToEx, group))
	r.says(3*time.Second, 0, 1, &igmp.Leave{Group: group})
	r.until(10 * time.Second)
	require.Len(t, r.sent["in1"], 3, "one for all groups, two for this")
	require.Len(t, r.sent["in2"], 1)
	require.Equal(t, group, r.sent["in1"][2].Group)
	require.Equal(t, []string{"in2"}, r.ways(s1, group, "out0"))
	r.until(272 * time.Second)
	require.Equal(t, []string(nil), r.ways(s1, group, "out0"), "silence ends the other")
	require.Empty(t, r.wanted(group))
}

func TestWhoQueriesForwards(t *testing.T) {
	r := newRig(t)
	r.says(time.Second, 0, 1, record(igmp.ToEx, group))
	r.says(time.Second, 1, 2, record(igmp.ToEx, group))
	other := &igmp.Query{Version: 3, Group: netip.IPv4Unspecified(), MaxResp: 10 * time.Second, QRV: 2, QQI: 200 * time.Second}
	r.says(2*time.Second, 0, 5, other)
	require.Equal(t, []string{"in2"}, r.ways(s1, group, "out0"))
	require.Equal(t, "EXCLUDE{}", r.wanted(group))
	require.Equal(t, 200*time.Second, r.timing().QI, "hosts are asked that rarely there")

	r.says(3*time.Second, 0, 1, record(igmp.ToIn, group))
	r.says(4*time.Second, 0, 1, record(igmp.IsEx, group)) // the other one has asked
	r.until(10 * time.Second)
	require.Len(t, r.sent["in1"], 1, "we have not")
	r.until(407 * time.Second)
	require.Equal(t, []string{"in1"}, r.ways(s1, group, "out0"), "it is silent, we take over; in2 has not been refreshed")
	require.Equal(t, 125*time.Second, r.timing().QI)
}

func TestAnInterfaceThatIsDeletedGetsNothingUntilItReturns(t *testing.T) {
	r := newRig(t)
	r.says(time.Second, 0, 1, record(igmp.ToEx, group))
	r.detach(r.inside[0])
	r.see(r.inside[0], igmpconn.Link{})
	r.says(2*time.Second, 0, 1, record(igmp.ToIn, group)) // read before the end
	r.says(3*time.Second, 0, 1, record(igmp.ToEx, group))
	require.Empty(t, r.ways(s1, group, "out0"))
	require.NoError(t, r.attach(r.inside[0], link(0), r.keep("in1")))
	require.Equal(t, []string{"in1"}, r.ways(s1, group, "out0"))
	r.until(4 * time.Second)
	require.Len(t, r.sent["in1"], 2, "asked at once")
}

func TestAnotherAddressIsAnotherElection(t *testing.T) {
	r := newRig(t)
	l := link(0)
	l.Addrs = []netip.Addr{netip.MustParseAddr("192.0.1.77")}
	r.see(r.inside[0], l)
	require.Equal(t, l.Addrs[0], r.inside[0].state.Elected)
	l.Addrs = nil
	r.see(r.inside[0], l)
	require.True(t, r.inside[0].state.Querier, "it goes on with what it had")
}

// What this host sends itself is no host's wish, and what belongs to a VLAN is not of this link.
func TestFramesOfOthersDoNotCount(t *testing.T) {
	r := newRig(t)
	for _, h := range []igmp.Header{
		{EthSrc: igmp.MAC{2, 1}, Src: s1}, {EthSrc: igmp.MAC{2, 1}, Src: s1, VLANs: []igmp.VLAN{{ID: 7}}},
	} {
		frame, err := igmp.AppendFrame(nil, h, record(igmp.ToEx, group))
		require.NoError(t, err)
		r.frame(r.inside[0], igmpconn.Frame{Data: frame, Len: len(frame), At: start, Outgoing: len(h.VLANs) == 0})
	}
	require.Empty(t, r.wanted(group))
}
