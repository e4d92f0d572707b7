package snooper

import (
	"net/netip"
	"slices"
	"testing"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/stretchr/testify/require"
)

// strictOdd are the frames of odd.pcap that have another verdict when everything is strict: each a well-formed message
// that no sender should send.
var strictOdd = map[string]Verdict{
	"v3r-to-224.0.0.2":           IgnoredDestination,
	"v3r-to-group":               IgnoredDestination,
	"v3r-to-unicast":             IgnoredDestination,
	"v2r-unicast-group":          IgnoredDestination, // sent to 224.0.0.22
	"v2r-group-zero":             IgnoredDestination, // sent to 224.0.0.1
	"v2r-240.0.0.1":              IgnoredDestination, // sent to 224.0.0.22
	"v2r-group-differs-from-dst": IgnoredDestination,
	"q3-gsq-to-224.0.0.1":        IgnoredDestination,
	"q-unicast-group":            IgnoredDestination, // sent to 224.0.0.1
	"ttl-64-report":              IgnoredTTL,
	"ttl-64-query":               IgnoredTTL,
	"ttl-0-report":               IgnoredTTL,
	"no-ra-v2-report":            IgnoredNoRouterAlert,
	"no-ra-v3-report":            IgnoredNoRouterAlert,
	"no-ra-v3-query":             IgnoredNoRouterAlert,
	"opt-record-route":           IgnoredNoRouterAlert,
	"v3r-366-sources":            IgnoredNoRouterAlert,
	"src-0-report":               IgnoredUnspecified,
	"src-0-v3-report":            IgnoredUnspecified,
	"src-multicast-mac":          IgnoredSenderMAC,
	"vlan-4095":                  IgnoredVLAN,
}

func TestStrictChecksKeepOutTheOddFramesThatNoSenderShouldSend(t *testing.T) {
	seen := 0
	for i, p := range packets(t, "odd") {
		id, want, forward := oddFrames[i].id, oddFrames[i].verdict, oddFrames[i].forward
		if v, strict := strictOdd[id]; strict {
			seen++
			want, forward = v, ForwardNone
		}
		s := New(Config{Checks: StrictChecks()})
		r := s.Frame(1, p.Data, p.Time)
		require.Equal(t, want.String(), r.Verdict.String(), id)
		require.Equal(t, forward, r.Forward, id)
		if forward == ForwardNone {
			require.Empty(t, r.Records, id)
			require.Nil(t, r.Query, id)
			require.Empty(t, routerPorts(s, r.VLAN), id)
			require.Zero(t, s.counters.Records.Total(), id)
		}
	}
	require.Equal(t, len(strictOdd), seen)
}

// The other direction: with nothing checked, what is kept out by default is taken.
func TestChecksThatAreOffTakeEveryWellFormedMessage(t *testing.T) {
	off := Checks{
		TTL: CheckOff, RouterAlert: CheckOff, Destination: CheckOff, Source: CheckOff, Unspecified: CheckOff,
		SenderMAC: CheckOff, VLAN: CheckOff,
	}
	taken := map[string]Verdict{
		"src-multicast-report": AcceptedReport, "q3-general-to-unicast": AcceptedQuery,
		"q2-general-to-group": AcceptedQuery, "q1-nonzero-group": AcceptedQuery,
	}
	for i, p := range packets(t, "odd") {
		want := oddFrames[i].verdict
		if v, ok := taken[oddFrames[i].id]; ok {
			want = v
		}
		require.Equal(t, want, New(Config{Checks: off}).Frame(1, p.Data, p.Time).Verdict, oddFrames[i].id)
	}
}

// What real hosts send passes every strict check. So do the queries of a real bridge, but for those that it sends to
// 224.0.0.1 after a v2 leave, and the hand-made v1 queries of kernel-v1, which need no Router Alert.
func TestRealHostsPassStrictChecks(t *testing.T) {
	for capture, astray := range map[string]uint64{"kernel-v1": 0, "kernel-v2": 11, "kernel-v3": 0, "mixed": 3, "storm": 304} {
		s, ports := New(Config{Checks: StrictChecks()}), ports{}
		expected := dissections(t, capture)
		for i, p := range packets(t, capture) {
			r := s.Frame(ports.of(p.Data), p.Data, p.Time)
			require.True(t, !keptOut[r.Verdict] || expected[i].IGMP.Type == "0x11", "%s %d: %v", capture, i+1, r.Verdict)
		}
		for v := range keptOut {
			want := uint64(0)
			if v == IgnoredDestination {
				want = astray
			}
			require.Equal(t, want, s.Counters().Frames[v], "%s: %v", capture, v)
		}
	}
}

func TestEachCheckCanBeStrictAlone(t *testing.T) {
	changed := map[Verdict]Checks{
		IgnoredTTL:           {TTL: CheckStrict},
		IgnoredNoRouterAlert: {RouterAlert: CheckStrict},
		IgnoredDestination:   {Destination: CheckStrict},
		IgnoredUnspecified:   {Unspecified: CheckStrict},
		IgnoredSenderMAC:     {SenderMAC: CheckStrict},
		IgnoredVLAN:          {VLAN: CheckStrict},
	}
	for i, p := range packets(t, "odd") {
		for v, checks := range changed {
			want := oddFrames[i].verdict
			if strictOdd[oddFrames[i].id] == v {
				want = v
			}
			require.Equal(t, want, New(Config{Checks: checks}).Frame(1, p.Data, p.Time).Verdict, oddFrames[i].id)
		}
	}
}

// The checks ask only those messages for Router Alert that have it.
func TestRouterAlertIsAskedOfV2AndV3AndRouterDiscovery(t *testing.T) {
	s := New(Config{Checks: StrictChecks()})
	for name, c := range map[string]struct {
		m    igmp.Message
		want Verdict
	}{
		"v1 query":      {&igmp.Query{Version: 1, Group: nobody}, AcceptedQuery},
		"v2 query":      {&igmp.Query{Version: 2, Group: nobody, MaxResp: 1e9}, IgnoredNoRouterAlert},
		"v3 query":      {generalQuery(), IgnoredNoRouterAlert},
		"v1 report":     {&igmp.ReportV1{Group: group}, AcceptedReport},
		"v2 report":     {&igmp.ReportV2{Group: group}, IgnoredNoRouterAlert},
		"leave":         {&igmp.Leave{Group: group}, IgnoredNoRouterAlert},
		"v3 report":     {&igmp.ReportV3{}, IgnoredNoRouterAlert},
		"advertisement": {advertisement(20), IgnoredNoRouterAlert},
		"termination":   {termination(), IgnoredNoRouterAlert},
		"DVMRP":         {&igmp.Other{MessageType: igmp.TypeDVMRP, Body: make([]byte, 4)}, AcceptedRouter},
		"PIM version 1": {&igmp.Other{MessageType: igmp.TypePIMv1, Body: make([]byte, 4)}, AcceptedRouter},
		"unknown":       {&igmp.Other{MessageType: 0x99}, AcceptedOther},
	} {
		frame := frameOf(t, querier, c.m)
		require.Equal(t, []byte{0x94, 4, 0, 0}, frame[34:38])
		bare := slices.Delete(slices.Clone(frame), 34, 38)
		bare[17] -= 4 // the total length
		require.Equal(t, c.want, s.Frame(1, with(bare, 14, 0x45), t0).Verdict, name)
	}
}

func TestAQueryWithoutRouterAlertIsAQuerierUnlessStrict(t *testing.T) {
	frame := unhex(t, "01005e00000100005e005301080045c0001c000040000102d71dc0000201e00000011164ee9b00000000")
	r := New(Config{}).Frame(1, frame, t0)
	require.Equal(t, AcceptedQuery, r.Verdict)
	require.Equal(t, addr("192.0.2.1"), r.Query.Host.Addr)
	s := New(Config{Checks: Checks{RouterAlert: CheckStrict}})
	r = s.Frame(1, frame, t0)
	require.Equal(t, IgnoredNoRouterAlert, r.Verdict)
	require.Nil(t, r.Query)
	require.Empty(t, routerPorts(s, 0))
	require.Equal(t, uint64(1), s.Counters().Frames[IgnoredNoRouterAlert])
}

func TestSubnetsAreAskedOfReportsAndLeavesAlone(t *testing.T) {
	subnets := []netip.Prefix{netip.MustParsePrefix("192.0.2.0/25"), netip.MustParsePrefix("203.0.113.0/24")}
	s := New(Config{Checks: Checks{Subnets: subnets}})
	subnets[0] = netip.MustParsePrefix("0.0.0.0/0")
	for src, want := range map[string]Verdict{
		"192.0.2.1": AcceptedReport, "203.0.113.5": AcceptedReport, "192.0.2.128": IgnoredSubnet,
		"198.51.100.1": IgnoredSubnet, "0.0.0.0": AcceptedReport, "239.9.9.9": IgnoredSource, "255.255.255.255": IgnoredSource,
	} {
		for _, m := range []igmp.Message{
			&igmp.ReportV1{Group: group}, &igmp.ReportV2{Group: group}, &igmp.Leave{Group: group},
			&igmp.ReportV3{Records: []igmp.Record{{Type: igmp.ToEx, Group: group}}},
		} {
			require.Equal(t, want, s.Frame(1, frameOf(t, addr(src), m), t0).Verdict, "%s %v", src, m.Type())
		}
	}
	require.Equal(t, AcceptedQuery, s.Frame(2, frameOf(t, querier, generalQuery()), t0).Verdict)
	require.Equal(t, AcceptedRouter, s.Frame(3, frameOf(t, querier, advertisement(20)), t0).Verdict)
}

// Checks hold for every role, and for every sign of a router.
func TestRoutersAreCheckedLikeHosts(t *testing.T) {
	for name, frame := range signs(t) {
		for _, role := range []Role{Auto, Router, Trusted} {
			s := New(Config{Checks: Checks{TTL: CheckStrict}})
			s.SetRole(1, role)
			before := routerPorts(s, 0)
			r := s.Frame(1, with(slices.Clone(frame), 14+8, 64), t0)
			require.Equal(t, IgnoredTTL, r.Verdict, name)
			require.Equal(t, ForwardNone, r.Forward, name)
			require.Equal(t, before, routerPorts(s, 0), name)
		}
	}
	s := New(Config{})
	require.Equal(t, IgnoredSource, s.Frame(1, hello(group, holdtime(105)...), t0).Verdict)
	require.Empty(t, routerPorts(s, 0))
}

func TestAWrongSettingIsStrict(t *testing.T) {
	s := New(Config{Checks: Checks{TTL: CheckOff + 1, Destination: 77}})
	ttl := with(frameOf(t, host, &igmp.ReportV2{Group: group}), 14+8, 2)
	require.Equal(t, IgnoredTTL, s.Frame(1, ttl, t0).Verdict)
	require.Equal(t, IgnoredDestination, s.Frame(1, frameTo(t, host, addr("239.1.1.2"), &igmp.ReportV2{Group: group}), t0).Verdict)
}
