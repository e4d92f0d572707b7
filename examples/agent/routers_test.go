//go:build linux

package main

import (
	"encoding/binary"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/internal/ovslab"
)

// Beyond the port of router a router may live; port 1.
var besideRouter = []ovslab.HostConfig{{Name: "router"}, {Name: "m2"}, {Name: "m3"}, {Name: "idle"}, {Name: "sender"}}

// query has a host send a query as a router does: in version 3, every 2 s.
func (r *rig) query(host string, vlans []igmp.VLAN, q igmp.Query) {
	r.t.Helper()
	h := r.lab.Host(host)
	mac, err := net.ParseMAC(h.MAC())
	require.NoError(r.t, err)
	q.Version, q.MaxResp, q.QQI, q.QRV = max(q.Version, 2), time.Second, 2*time.Second, 2
	if !q.Group.IsValid() {
		q.Group = netip.IPv4Unspecified()
	}
	frame, err := igmp.AppendFrame(nil, igmp.Header{EthSrc: igmp.MAC(mac), Src: h.Addr(), VLANs: vlans}, &q)
	require.NoError(r.t, err)
	require.NoError(r.t, h.Inject(frame))
}

// isRecord says whether a frame that a host received is a report with such a record.
func isRecord(want igmp.RecordType, g netip.Addr) func(ovslab.Frame) bool {
	return func(f ovslab.Frame) bool {
		var d igmp.Decoder
		v, err := d.Frame(f.Data)
		if err != nil || f.Sent || v.Type != igmp.TypeReportV3 {
			return false
		}
		for rec := range v.Records() {
			if rec.Type == want && rec.Group == g {
				return true
			}
		}
		return false
	}
}

// awaitAlso waits until the packets of a multicast address go to a group of router ports besides.
func (r *rig) awaitAlso(g netip.Addr, id string) {
	r.t.Helper()
	eventually(r.t, func() bool {
		flows, err := r.lab.Ofctl(r.t.Context(), "dump-flows", r.lab.Mgmt(), "table=101,ip,nw_dst="+g.String())
		return err == nil && strings.HasSuffix(strings.TrimSpace(flows), ",group:"+id)
	}, 5*time.Second, 20*time.Millisecond)
	time.Sleep(settled)
}

func (r *rig) capture(host string, keep func(ovslab.Frame) bool) *ovslab.Capture {
	r.t.Helper()
	c, err := r.lab.Host(host).Capture(keep)
	require.NoError(r.t, err)
	return c
}

func (r *rig) await(c *ovslab.Capture, n int) []ovslab.Frame {
	r.t.Helper()
	frames, err := c.Await(within(r.t, 6*time.Second), atLeast(n))
	require.NoError(r.t, err)
	return frames
}

func TestARouterPortGetsEverythingAndHearsOfMembers(t *testing.T) {
	t.Parallel()
	r := newRig(t, []string{"-router-port", "router"}, besideRouter...)
	unwanted := r.tap("router", other)
	r.send("sender", ovslab.Stream{To: other, Packets: 100})
	requireOnce(t, unwanted, 100)

	joined, left := r.capture("router", isRecord(igmp.ToEx, group)), r.capture("router", isRecord(igmp.ToIn, group))
	m2, m3 := r.join("m2", group), r.join("m3", group)
	r.awaitBuckets(group, 5*time.Second, "2", "3")
	report := r.await(joined, 1)[0]
	var d igmp.Decoder
	v, err := d.Frame(report.Data)
	require.NoError(t, err)
	require.Equal(t, netip.IPv4Unspecified(), v.Src, "ours, not a host's")
	taps := []*ovslab.Receiver{r.tap("router", group), r.tap("m2", group), r.tap("m3", group)}
	idle := r.tap("idle", group)
	r.send("sender", ovslab.Stream{To: group, Packets: 300})
	for _, tap := range taps {
		requireOnce(t, tap, 300)
	}
	require.Empty(t, idle.Arrivals())

	require.NoError(t, m2.Leave())
	r.awaitBuckets(group, 5*time.Second, "3")
	require.Empty(t, left.Frames(), "somebody else still wants it")
	require.NoError(t, m3.Leave())
	r.await(left, 1)
	require.Len(t, joined.Frames(), 1, "what a second member wants is known upstream")
}

// A member beyond a router port gets what all that is there gets, once.
func TestAMemberPortThatIsARouterPortGetsEachPacketOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t, []string{"-router-port", "router"}, besideRouter...)
	r.join("router", group)
	r.join("m2", group)
	r.query("router", nil, igmp.Query{Version: 3})
	r.awaitBuckets(group, 5*time.Second, "2")
	router, m2 := r.tap("router", group), r.tap("m2", group)
	r.send("sender", ovslab.Stream{To: group, Packets: 500})
	requireOnce(t, router, 500)
	requireOnce(t, m2, 500)
}

func TestAnUplinksQuerierIsLearntHonouredAndForgotten(t *testing.T) {
	t.Parallel()
	r := newRig(t, []string{"-role", "router=uplink"}, besideRouter...)
	r.join("m2", group)
	r.awaitBuckets(group, 5*time.Second, "2")
	require.Empty(t, r.groupPorts("4"), "no router yet")
	atRouter, atMember := r.capture("router", isGeneralQuery), r.capture("m2", isQueryFrom(r.lab.Host("router").Addr()))
	answers := r.capture("router", isRecord(igmp.IsEx, group))
	r.query("router", nil, igmp.Query{Version: 3})
	r.await(atMember, 1)
	r.await(answers, 1)
	eventually(t, func() bool { return slices.Equal(r.groupPorts("4"), []string{"1"}) }, 5*time.Second, 20*time.Millisecond)
	for _, f := range atRouter.Frames() {
		require.True(t, f.Sent, "we do not query where routers are")
	}

	ours := r.capture("m2", isQueryFrom(netip.IPv4Unspecified()))
	for range 3 {
		time.Sleep(time.Second)
		r.query("router", nil, igmp.Query{Version: 3})
	}
	require.Empty(t, ours.Frames(), "another one is the querier")
	tap := r.tap("router", group)
	r.send("sender", ovslab.Stream{To: group, Packets: 100})
	requireOnce(t, tap, 100)

	// Silence: 4.5 s is its robustness times its interval and half a response time.
	r.await(ours, 1)
	eventually(t, func() bool { return len(r.groupPorts("4")) == 0 }, 10*time.Second, 50*time.Millisecond)
	require.Equal(t, []string{"2"}, r.bucketsOf(group), "the member has been asked all the time")
}

func TestARoutersSpecificQueryReachesTheMembersAskedOnly(t *testing.T) {
	t.Parallel()
	r := newRig(t, []string{"-router-port", "router"}, besideRouter...)
	r.join("m2", group)
	r.join("m3", other)
	r.awaitBuckets(group, 5*time.Second, "2")
	r.awaitBuckets(other, 5*time.Second, "3")
	isSpecific := func(f ovslab.Frame) bool {
		v, ok := query(f.Data)
		return ok && v.Group == group && v.Src == r.lab.Host("router").Addr() && !f.Sent
	}
	m2, m3, idle := r.capture("m2", isSpecific), r.capture("m3", isSpecific), r.capture("idle", isSpecific)
	answers := r.capture("router", isRecord(igmp.IsEx, group))
	r.query("router", nil, igmp.Query{Version: 3, Group: group})
	r.await(m2, 1)
	r.await(answers, 1)
	time.Sleep(settled)
	require.Empty(t, m3.Frames())
	require.Empty(t, idle.Frames())
}

func TestTransparentReportsArriveAsTheHostsSentThem(t *testing.T) {
	t.Parallel()
	r := newRig(t, []string{"-router-port", "router", "-report", "transparent"}, besideRouter...)
	joins := r.capture("router", isRecord(igmp.ToEx, group))
	idle := r.capture("idle", isRecord(igmp.ToEx, group))
	for _, h := range []string{"m2", "m3"} {
		r.join(h, group)
	}
	from := map[netip.Addr]bool{}
	for _, f := range r.await(joins, 3) { // each host says it twice
		var d igmp.Decoder
		v, err := d.Frame(f.Data)
		require.NoError(t, err)
		from[v.Src] = true
	}
	require.Equal(t, map[netip.Addr]bool{r.lab.Host("m2").Addr(): true, r.lab.Host("m3").Addr(): true}, from)
	require.Empty(t, idle.Frames(), "no host hears another's report")
}

func TestARouterOfVersion2IsToldInVersion2(t *testing.T) {
	t.Parallel()
	r := newRig(t, []string{"-role", "router=uplink"}, besideRouter...)
	said := r.capture("router", func(f ovslab.Frame) bool {
		return !f.Sent && slices.Contains([]igmp.Type{igmp.TypeReportV2, igmp.TypeLeave, igmp.TypeReportV3}, igmpType(f.Data))
	})
	r.query("router", nil, igmp.Query{Version: 2})
	m := r.join("m2", group)
	r.awaitBuckets(group, 5*time.Second, "2")
	require.Equal(t, igmp.TypeReportV2, igmpType(r.await(said, 1)[0].Data))
	r.query("router", nil, igmp.Query{Version: 2})
	require.NoError(t, m.Leave())
	eventually(t, func() bool {
		frames := said.Frames()
		return igmpType(frames[len(frames)-1].Data) == igmp.TypeLeave
	}, 6*time.Second, 20*time.Millisecond)
	for _, f := range said.Frames() {
		require.NotEqual(t, igmp.TypeReportV3, igmpType(f.Data))
	}
}

// A querier in one VLAN rules over that VLAN alone, and hears of its members alone.
func TestARouterOnATrunkIsOneOfEachVLAN(t *testing.T) {
	t.Parallel()
	r := newVLANRig(t, access10and20(), "-role", "trunk=uplink")
	r.join("a10", group)
	r.join("b20", other)
	r.awaitMembersIn(10, group, 5*time.Second, "a10")
	r.awaitMembersIn(20, other, 5*time.Second, "b20")
	router := r.lab.Host("trunk").Addr()
	a10, b20 := r.capture("a10", isQueryFrom(router)), r.capture("b20", isQueryFrom(router))
	in10, in20 := r.capture("trunk", isRecord(igmp.IsEx, group)), r.capture("trunk", isRecord(igmp.IsEx, other))
	r.query("trunk", []igmp.VLAN{{ID: 10}}, igmp.Query{Version: 3})
	require.Equal(t, ovslab.Tag{}, r.await(a10, 1)[0].Tag)
	require.Equal(t, ovslab.Tag{Tagged: true, VLAN: 10}, r.await(in10, 1)[0].Tag)
	eventually(t, func() bool { return len(r.groupPorts("100104")) == 1 }, 5*time.Second, 20*time.Millisecond)
	r.awaitAlso(group, "100104")
	require.Empty(t, r.groupPorts("100204"))
	require.Empty(t, b20.Frames())
	require.Empty(t, in20.Frames())

	ours := r.capture("b20", isQueryFrom(netip.IPv4Unspecified()))
	r.await(ours, 1) // VLAN 20 has no other querier
	tap := r.tap("trunk", group)
	r.send("s10", ovslab.Stream{To: group, Packets: 100})
	requireTags(t, tap, 100, ovslab.Tag{Tagged: true, VLAN: 10})
}

func TestRolesOfTheDatabaseAreFollowedAndFlagsWin(t *testing.T) {
	t.Parallel()
	r := newLab(t, besideRouter...)
	set := func(name, role string) {
		t.Helper()
		_, err := r.lab.Vsctl(t.Context(), "set", "interface", name, "external_ids:ofmcast-role="+role)
		require.NoError(t, err)
	}
	set("m3", "router")
	r.startAgent([]string{"-ovsdb", "unix:" + r.lab.Dir() + "/db.sock", "-role", "m3=member"})
	time.Sleep(settled)
	require.Empty(t, r.groupPorts("4"), "the flag says member")
	r.join("m2", group)
	r.awaitBuckets(group, 5*time.Second, "2")

	const atOnce = 2 * time.Second
	set("router", "router")
	eventually(t, func() bool { return slices.Equal(r.groupPorts("4"), []string{"1"}) }, atOnce, 20*time.Millisecond)
	r.awaitAlso(group, "4")
	tap := r.tap("router", group)
	r.send("sender", ovslab.Stream{To: group, Packets: 100})
	requireOnce(t, tap, 100)

	_, err := r.lab.Vsctl(t.Context(), "remove", "interface", "router", "external_ids", "ofmcast-role")
	require.NoError(t, err)
	eventually(t, func() bool { return len(r.groupPorts("4")) == 0 }, atOnce, 20*time.Millisecond)

	set("sender", "tunnel")
	tap = r.tap("m2", group)
	eventually(t, func() bool {
		flows, err := r.lab.Ofctl(t.Context(), "dump-flows", r.lab.Mgmt(), "table=0,in_port=5")
		return err == nil && strings.Contains(flows, "actions=drop")
	}, atOnce, 20*time.Millisecond)
	time.Sleep(settled)
	r.send("sender", ovslab.Stream{To: group, Packets: 50})
	time.Sleep(settled)
	require.Empty(t, tap.Arrivals(), "nothing comes from a tunnel yet")
}

// A router that was heard before the agent was started again goes on getting streams until its next sign.
func TestARestartKeepsTheRouterPortsThatWereLearnt(t *testing.T) {
	t.Parallel()
	r := newLab(t, besideRouter...)
	first := r.launch(nil, "-role", "router=uplink")
	r.join("m2", group)
	r.query("router", nil, igmp.Query{Version: 3})
	eventually(t, func() bool { return slices.Equal(r.groupPorts("4"), []string{"1"}) }, 5*time.Second, 20*time.Millisecond)
	r.awaitBuckets(group, 5*time.Second, "2")
	r.awaitAlso(group, "4")
	tap := r.tap("router", group)
	sent := make(chan error, 1)
	go func() {
		sent <- r.lab.Host("sender").Send(t.Context(), ovslab.Stream{To: group, Packets: 2000})
	}()
	_, err := tap.Await(within(t, 5*time.Second), 100)
	require.NoError(t, err)
	first.kill()
	r.launch(nil, "-role", "router=uplink")
	require.NoError(t, <-sent)
	requireOnce(t, tap, 2000)
	eventually(t, func() bool { return len(r.groupPorts("4")) == 0 }, 12*time.Second, 50*time.Millisecond, "without a sign it ends")
}

func TestAPIMRouterIsLearntWhereItMayBe(t *testing.T) {
	t.Parallel()
	r := newRig(t, []string{"-role", "router=uplink"}, besideRouter...)
	hello := r.capture("m2", func(f ovslab.Frame) bool { return !f.Sent && len(f.Data) > 23 && f.Data[23] == protoPIM })
	require.NoError(t, r.lab.Host("m3").Inject(pimHello(t, r.lab.Host("m3"))))
	require.NoError(t, r.lab.Host("router").Inject(pimHello(t, r.lab.Host("router"))))
	eventually(t, func() bool { return slices.Equal(r.groupPorts("4"), []string{"1"}) }, 5*time.Second, 20*time.Millisecond,
		"the router's port, and not the tenant's")
	r.await(hello, 1)
}

// pimHello is a PIM version 2 hello with a holdtime of 105 s (RFC 7761 4.9.2).
func pimHello(t *testing.T, h *ovslab.Host) []byte {
	mac, err := net.ParseMAC(h.MAC())
	require.NoError(t, err)
	frame := slices.Concat([]byte{0x01, 0, 0x5e, 0, 0, 0x0d}, mac, []byte{0x08, 0x00,
		0x45, 0xc0, 0, 30, 0, 0, 0x40, 0, 1, protoPIM, 0, 0}, h.Addr().AsSlice(), []byte{224, 0, 0, 13,
		0x20, 0, 0, 0, 0, 1, 0, 2, 0, 105})
	sum := func(b []byte) uint16 {
		var s uint32
		for i := 0; i < len(b); i += 2 {
			s += uint32(b[i])<<8 | uint32(b[i+1])
		}
		s = s>>16 + s&0xffff
		return ^uint16(s>>16 + s&0xffff)
	}
	binary.BigEndian.PutUint16(frame[24:], sum(frame[14:34]))
	binary.BigEndian.PutUint16(frame[36:], sum(frame[34:]))
	return frame
}

// Where reports go to the querier as they are, leaves are its to check: we ask nobody, and follow its
// questions.
func TestATransparentAgentLeavesLeavesToTheQuerier(t *testing.T) {
	t.Parallel()
	r := newRig(t, []string{"-role", "router=uplink", "-report", "transparent"}, besideRouter...)
	r.query("router", nil, igmp.Query{Version: 3})
	m := r.join("m2", group)
	r.awaitBuckets(group, 5*time.Second, "2")
	left := r.capture("router", isRecord(igmp.ToIn, group))
	ours := r.capture("m2", func(f ovslab.Frame) bool {
		v, ok := query(f.Data)
		return ok && v.Group == group && v.Src.IsUnspecified()
	})
	r.query("router", nil, igmp.Query{Version: 3})
	require.NoError(t, m.Leave())
	r.await(left, 1)
	never(t, func() bool { return r.bucketsOf(group) == nil }, 2500*time.Millisecond, 100*time.Millisecond, "nobody has asked")
	r.query("router", nil, igmp.Query{Version: 3, Group: group})
	r.awaitGone(group, 2500*time.Millisecond)
	require.Empty(t, ours.Frames())
}
