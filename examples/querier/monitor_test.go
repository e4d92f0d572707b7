package main

import (
	"errors"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/igmp/igmpconn"
)

var (
	start = time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC)
	ours  = netip.MustParseAddr("192.0.2.9")
	group = netip.MustParseAddr("239.1.1.1")
	eth0  = igmpconn.Link{Name: "eth0", Index: 2, Up: true, MAC: igmp.MAC{2, 9}, MTU: 1500, Addrs: []netip.Addr{ours}}
)

// rig is a monitor on a link of the test's, with the test's clock.
type rig struct {
	*monitor
	t    *testing.T
	sent []*igmp.View
	fail error
}

func newRig(t *testing.T, args ...string) *rig {
	t.Helper()
	o, err := parseOptions(append([]string{"-i", "eth0"}, args...), t.Output())
	require.NoError(t, err)
	r := &rig{monitor: newMonitor(o, start), t: t}
	require.NoError(t, r.attach(eth0, r.keep))
	r.advance(start)
	return r
}

// keep is what sends.
func (r *rig) keep(frame []byte) error {
	if r.fail != nil {
		return r.fail
	}
	var d igmp.Decoder
	v, err := d.Frame(frame)
	require.NoError(r.t, err)
	r.sent = append(r.sent, v.Clone())
	return nil
}

// until moves the clock to a time after the start, with all that is due on the way.
func (r *rig) until(d time.Duration) {
	end := start.Add(d)
	for next, ok := r.next(); ok && !next.After(end); next, ok = r.next() {
		r.advance(next)
	}
	r.advance(end)
}

// says has a host, by the last number of its address, say something at a time after the start.
func (r *rig) says(d time.Duration, n byte, m igmp.Message, vlans ...igmp.VLAN) {
	r.t.Helper()
	r.until(d)
	h := igmp.Header{EthSrc: igmp.MAC{2, n}, Src: netip.AddrFrom4([4]byte{192, 0, 2, n}), VLANs: vlans}
	if n == 0 {
		h.EthSrc, h.Src = igmp.MAC{2, 1}, netip.IPv4Unspecified()
	}
	frame, err := igmp.AppendFrame(nil, h, m)
	require.NoError(r.t, err)
	r.frame(igmpconn.Frame{Data: frame, Len: len(frame), At: start.Add(d)})
}

// told is what happened since the last call: how long after the start, what, and who.
func (r *rig) told() []string {
	var words []string
	for _, e := range r.events {
		s := e.at.Sub(start).String() + " " + e.Event
		for _, a := range []netip.Addr{e.Group, e.Host, e.Elected} {
			if a.IsValid() {
				s += " " + a.String()
			}
		}
		words = append(words, s)
	}
	r.events = nil
	return words
}

func join(g netip.Addr, sources ...netip.Addr) igmp.Message {
	return &igmp.ReportV3{Records: []igmp.Record{{Type: igmp.ToEx, Group: g, Sources: sources}}}
}

func TestALeaveIsCheckedAndSilenceExpires(t *testing.T) {
	r := newRig(t)
	require.Equal(t, []string{"0s interface", "0s querier 192.0.2.9"}, r.told())
	r.says(time.Second, 1, join(group))
	r.says(2*time.Second, 2, &igmp.ReportV2{Group: group})
	r.says(3*time.Second, 3, &igmp.ReportV1{Group: group})
	r.says(4*time.Second, 1, &igmp.Leave{Group: group})
	require.Equal(t, []string{"1s joined 239.1.1.1 192.0.2.1", "2s joined 239.1.1.1 192.0.2.2", "3s joined 239.1.1.1 192.0.2.3"}, r.told())
	r.until(10 * time.Second)
	require.Equal(t, []string{"6s left 239.1.1.1 192.0.2.1"}, r.told())

	require.Len(t, r.sent, 3, "a general query and two for the group")
	require.True(t, r.sent[0].Group.IsUnspecified())
	for _, v := range r.sent[1:] {
		require.Equal(t, group, v.Group)
		require.EqualValues(t, 3, v.Version)
		require.Equal(t, ours, v.Src)
	}
	r.until(300 * time.Second)
	require.Equal(t, []string{"4m32s expired 239.1.1.1 192.0.2.2", "4m33s expired 239.1.1.1 192.0.2.3"}, r.told())
}

func TestTheOtherQuerierIsSilentAtLast(t *testing.T) {
	r := newRig(t)
	r.told()
	other := &igmp.Query{Version: 3, Group: netip.IPv4Unspecified(), MaxResp: 10 * time.Second, QRV: 2, QQI: 60 * time.Second}
	r.says(time.Second, 5, other)
	require.Equal(t, []string{"1s querier 192.0.2.5"}, r.told())
	require.Equal(t, 60*time.Second, r.snapshot().timing.QI, "its timing counts")
	require.Equal(t, 125*time.Second, r.snapshot().due)

	r.says(2*time.Second, 1, join(group))
	r.says(3*time.Second, 1, &igmp.Leave{Group: group})
	r.says(4*time.Second, 5, &igmp.Query{Version: 3, Group: group, MaxResp: time.Second, QRV: 2, QQI: 60 * time.Second})
	r.until(10 * time.Second)
	require.Equal(t, []string{"2s joined 239.1.1.1 192.0.2.1", "6s left 239.1.1.1 192.0.2.1"}, r.told(), "it checks, we watch")
	require.Len(t, r.sent, 1)

	r.until(126 * time.Second)
	require.Equal(t, []string{"2m6s querier 192.0.2.9"}, r.told())
	require.Len(t, r.sent, 2)
}

func TestWhileTheInterfaceIsDownNobodyIsSilent(t *testing.T) {
	r := newRig(t)
	r.says(time.Second, 1, join(group))
	r.told()
	down := eth0
	down.Up = false
	r.see(down)
	r.fail = igmpconn.ErrDown
	r.until(1000 * time.Second)
	require.Equal(t, []string{"1s interface"}, r.told())
	require.Positive(t, r.counts.failed)

	r.fail = nil
	sent := len(r.sent)
	r.see(eth0)
	r.until(1000 * time.Second)
	require.Len(t, r.sent, sent+1, "asked at once")
	r.until(1010 * time.Second)
	require.Equal(t, []string{"16m40s interface"}, r.told())
	r.until(1012 * time.Second)
	require.Equal(t, []string{"16m51s expired 239.1.1.1 192.0.2.1"}, r.told())
}

func TestAnInterfaceThatReturnsKeepsItsMembers(t *testing.T) {
	r := newRig(t)
	r.says(time.Second, 1, join(group))
	r.told()
	r.detach()
	r.says(2*time.Second, 1, &igmp.Leave{Group: group}) // read before the end
	r.until(10 * time.Second)
	require.Equal(t, []string{"1s interface", "4s left 239.1.1.1 192.0.2.1"}, r.told())

	again := eth0
	again.Addrs = []netip.Addr{netip.MustParseAddr("192.0.2.3")}
	require.NoError(t, r.attach(again, r.keep))
	again.Addrs = append([]netip.Addr{netip.MustParseAddr("192.0.2.2")}, again.Addrs...)
	r.see(again)
	require.Equal(t, []string{"10s interface", "10s querier 192.0.2.3", "10s querier 192.0.2.2"}, r.told())
	again.Addrs = nil
	r.see(again)
	require.Empty(t, r.told(), "without an address it goes on")
}

func TestWhatIsNotForUs(t *testing.T) {
	r := newRig(t)
	r.told()
	r.says(time.Second, 1, join(group), igmp.VLAN{ID: 10})
	require.Empty(t, r.told(), "of another VLAN")
	r.says(time.Second, 1, join(group), igmp.VLAN{})
	require.Len(t, r.told(), 1, "a priority tag")
	r.says(2*time.Second, 0, join(group))
	require.Equal(t, "192.0.2.1", r.snapshot().Groups[0].Members[0].Host.String(), "the address it had")

	r.events = nil
	own, err := igmp.AppendFrame(nil, igmp.Header{EthSrc: igmp.MAC{2, 9}, Src: netip.MustParseAddr("192.0.2.1")},
		&igmp.Query{Version: 3, Group: netip.IPv4Unspecified(), MaxResp: time.Second})
	require.NoError(t, err)
	r.frame(igmpconn.Frame{Data: own, At: start.Add(3 * time.Second), Outgoing: true})
	require.Empty(t, r.told(), "a query that our host sends")

	require.Len(t, r.hosts, 1)
	r.until(time.Hour)
	r.forget()
	require.Empty(t, r.hosts)
}

func TestProxyAsksFromNowhereAndStandsBackForAll(t *testing.T) {
	r := newRig(t, "-proxy", "-version", "2")
	require.Equal(t, []string{"0s interface", "0s querier 0.0.0.0"}, r.told())
	require.True(t, r.sent[0].Src.IsUnspecified())
	require.EqualValues(t, 2, r.sent[0].Version)
	r.says(time.Second, 200, &igmp.Query{Version: 2, Group: netip.IPv4Unspecified(), MaxResp: time.Second})
	require.Equal(t, []string{"1s querier 192.0.2.200"}, r.told())
}

func TestAQueryThatCannotBeSentIsCounted(t *testing.T) {
	r := newRig(t)
	r.fail = errors.New("no")
	r.says(time.Second, 1, join(group))
	r.says(2*time.Second, 1, &igmp.Leave{Group: group})
	r.until(5 * time.Second)
	require.EqualValues(t, 2, r.counts.failed)
	require.EqualValues(t, 2, r.counts.reports)
	require.Empty(t, r.snapshot().Groups)
}
