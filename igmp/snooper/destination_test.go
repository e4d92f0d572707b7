package snooper

import (
	"net/netip"
	"testing"
	"time"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/stretchr/testify/require"
)

func TestALeaveCountsOnlyToTheRoutersOrItsGroup(t *testing.T) {
	for _, strict := range []bool{false, true} {
		s := New(Config{})
		if strict {
			s = New(Config{Checks: StrictChecks()})
		}
		toHost := s.Frame(1, unhex(t, "00005e00530200005e005301080046c00020000040000102600bc000020bc0000201940400001700ff01e9fc0001"), t0)
		require.Equal(t, IgnoredDestination, toHost.Verdict)
		require.Equal(t, ForwardNone, toHost.Forward, "nor shall it start a query elsewhere")
		require.Empty(t, toHost.Records)
		require.Equal(t, uint64(1), s.Counters().Frames[IgnoredDestination])
		toRouters := s.Frame(1, unhex(t, "01005e00000200005e005301080046c00020000040000102420ac000020be0000002940400001700ff01e9fc0001"), t0)
		require.Equal(t, AcceptedReport, toRouters.Verdict)
		require.Equal(t, addr("233.252.0.1"), toRouters.Records[0].Group)
	}
}

func TestAV2ReportToAnotherGroupCountsUnlessStrict(t *testing.T) {
	frame := unhex(t, "01005e7c000200005e005301080046c00020000040000102380ec000020be9fc00029404000016000002e9fc0001")
	r := New(Config{}).Frame(1, frame, t0)
	require.Equal(t, AcceptedReport, r.Verdict)
	require.Equal(t, addr("233.252.0.1"), r.Records[0].Group)
	s := New(Config{Checks: Checks{Destination: CheckStrict}})
	r = s.Frame(1, frame, t0)
	require.Equal(t, IgnoredDestination, r.Verdict)
	require.Empty(t, r.Records)
	require.Equal(t, uint64(1), s.Counters().Frames[IgnoredDestination])
}

// Every message to every kind of address: who takes it, by the three settings.
func TestDestinations(t *testing.T) {
	const systems, routers, v3, snoopers, other, unicast = "224.0.0.1", "224.0.0.2", "224.0.0.22", "224.0.0.106", "239.1.1.2", "192.0.2.254"
	everywhere := []string{systems, routers, v3, snoopers, group.String(), other, unicast}
	specific := &igmp.Query{Version: 3, Group: group, MaxResp: time.Second}
	for _, c := range []struct {
		name           string
		m              igmp.Message
		normal, strict []string
	}{
		{"v1 query", &igmp.Query{Version: 1, Group: nobody}, []string{systems}, []string{systems}},
		{"v1 query with a group", &igmp.Query{Version: 1, Group: group}, []string{systems}, []string{systems}},
		{"v2 general query", &igmp.Query{Version: 2, Group: nobody, MaxResp: time.Second}, []string{systems}, []string{systems}},
		{"v3 general query", generalQuery(), []string{systems}, []string{systems}},
		{"v2 group query", &igmp.Query{Version: 2, Group: group, MaxResp: time.Second}, []string{systems, group.String()}, []string{group.String()}},
		{"v3 group query", specific, []string{systems, group.String()}, []string{group.String()}},
		{"v1 report", &igmp.ReportV1{Group: group}, everywhere, []string{group.String()}},
		{"v2 report", &igmp.ReportV2{Group: group}, everywhere, []string{group.String()}},
		{"v3 report", &igmp.ReportV3{Records: []igmp.Record{{Type: igmp.ToEx, Group: group}}}, everywhere, []string{v3}},
		{"leave", &igmp.Leave{Group: group}, []string{routers, group.String()}, []string{routers, group.String()}},
		{"leave of a host", &igmp.Leave{Group: addr(unicast)}, []string{routers}, []string{routers}},
		{"advertisement", advertisement(20), []string{snoopers}, []string{snoopers}},
		{"termination", termination(), []string{snoopers}, []string{snoopers}},
		{"DVMRP", &igmp.Other{MessageType: igmp.TypeDVMRP, Body: make([]byte, 4)}, everywhere, everywhere},
		{"unknown", &igmp.Other{MessageType: 0x99}, everywhere, everywhere},
	} {
		for check, want := range map[Check][]string{CheckDefault: c.normal, CheckStrict: c.strict, CheckOff: everywhere} {
			t.Run(c.name+" "+check.String(), func(t *testing.T) {
				var taken []string
				for _, dst := range everywhere {
					s := New(Config{Checks: Checks{Destination: check}})
					if s.Frame(1, frameTo(t, querier, addr(dst), c.m), t0).Verdict != IgnoredDestination {
						taken = append(taken, dst)
					}
				}
				require.Equal(t, want, taken)
			})
		}
	}
}

// It is between the two, so it passes as any unicast packet does; unless the frame would reach more than one station.
func TestAQueryToOneHostIsNoQueryForTheOthers(t *testing.T) {
	frame := frameTo(t, querier, host, generalQuery())
	s := New(Config{})
	r := s.Frame(1, frame, t0)
	require.Equal(t, IgnoredDestination, r.Verdict)
	require.Equal(t, ForwardNormal, r.Forward)
	require.Nil(t, r.Query)
	require.Empty(t, routerPorts(s, 0))

	toAll := append([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, frame[6:]...)
	require.Equal(t, ForwardNone, s.Frame(1, toAll, t0).Forward)
	require.Equal(t, ForwardNone, s.Frame(1, frameTo(t, querier, netip.AddrFrom4([4]byte{255, 255, 255, 255}), generalQuery()), t0).Forward)
	s.SetRole(1, Member)
	require.Equal(t, ForwardNone, s.Frame(1, frame, t0).Forward, "tenants ask nobody")
}
