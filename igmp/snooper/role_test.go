package snooper

import (
	"testing"
	"time"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/stretchr/testify/require"
)

// signs are one frame of each kind that makes a router port.
func signs(tb testing.TB) map[string][]byte {
	return map[string][]byte{
		"query":         frameOf(tb, querier, generalQuery()),
		"v2 query":      frameOf(tb, querier, &igmp.Query{Version: 2, Group: nobody, MaxResp: 10 * time.Second}),
		"v1 query":      frameOf(tb, querier, &igmp.Query{Version: 1, Group: nobody}),
		"group query":   frameOf(tb, querier, &igmp.Query{Version: 3, Group: group, MaxResp: time.Second}),
		"PIM hello":     hello(querier, holdtime(105)...),
		"PIM version 1": frameOf(tb, querier, &igmp.Other{MessageType: igmp.TypePIMv1, Body: make([]byte, 4)}),
		"DVMRP probe":   frameOf(tb, querier, &igmp.Other{MessageType: igmp.TypeDVMRP, Code: 1, Body: make([]byte, 4)}),
		"advertisement": frameOf(tb, querier, advertisement(20)),
	}
}

func TestEverySignOfARouterMakesARouterPortOfAutoAndTrusted(t *testing.T) {
	for name, frame := range signs(t) {
		for _, role := range []Role{Auto, Trusted} {
			s := New(Config{})
			s.SetRole(5, role)
			require.Equal(t, ForwardAll, s.Frame(5, frame, t0).Forward, name)
			require.Equal(t, []Port{5}, routerPorts(s, 0), name)
			require.Equal(t, uint64(1), s.Counters().RouterPortsLearnt)
		}
	}
}

func TestNoTenantBecomesARouter(t *testing.T) {
	for name, frame := range signs(t) {
		s := New(Config{})
		s.SetRole(5, Member)
		r := s.Frame(5, frame, t0)
		require.Contains(t, []Verdict{IgnoredMemberQuery, IgnoredMemberRouter}, r.Verdict, name)
		require.Equal(t, ForwardNone, r.Forward, name)
		require.Nil(t, r.Query, name)
		require.Empty(t, routerPorts(s, 0), name)
		require.Equal(t, uint64(1), s.Counters().Frames[r.Verdict], name)
	}
}

func TestATenantsTerminationEndsNoRouter(t *testing.T) {
	s := New(Config{})
	s.Frame(1, frameOf(t, querier, advertisement(20)), t0)
	s.SetRole(2, Member)
	s.Frame(2, frameOf(t, querier, termination()), t0)
	require.Equal(t, []Port{1}, routerPorts(s, 0))
}

func TestMembershipsAreTakenFromPortsOfEveryRole(t *testing.T) {
	for role := Auto; role <= Trusted; role++ {
		s := New(Config{})
		s.SetRole(1, role)
		require.Len(t, s.Frame(1, frameOf(t, host, &igmp.ReportV2{Group: group}), t0).Records, 1, role)
	}
}

func TestARouterByRoleIsOneInEveryVLANForEver(t *testing.T) {
	s := New(Config{})
	s.SetRole(9, Router)
	s.SetRole(2, Router)
	s.SetRole(2, Router)
	s.Frame(5, frameOf(t, querier, generalQuery(), 10), t0)
	s.Frame(9, frameOf(t, querier, advertisement(20), 10), t0)
	require.Equal(t, []Port{2, 5, 9}, routerPorts(s, 10), "each once, in order")
	require.Equal(t, []Port{2, 9}, routerPorts(s, 0))
	s.Frame(9, frameOf(t, querier, termination(), 10), t0)
	s.Advance(after(10 * time.Hour))
	require.Equal(t, []Port{2, 9}, routerPorts(s, 10))
	require.Equal(t, uint64(1), s.Counters().RouterPortsLearnt, "nothing to learn on a port that is one")
}

func TestACallerMayStopAtAnyRouterPort(t *testing.T) {
	s := New(Config{})
	s.SetRole(1, Router)
	s.SetRole(3, Router)
	s.Frame(2, frameOf(t, querier, generalQuery()), t0)
	for _, last := range routerPorts(s, 0) {
		var seen []Port
		for p := range s.RouterPorts(0) {
			if seen = append(seen, p); p == last {
				break
			}
		}
		require.Equal(t, []Port{1, 2, 3}[:last], seen)
	}
}

func TestANewRoleForgetsWhatWasLearnt(t *testing.T) {
	for _, role := range []Role{Member, Trusted, Router} {
		s := New(Config{})
		s.Frame(1, frameOf(t, querier, generalQuery(), 10), t0)
		s.Frame(1, frameOf(t, querier, generalQuery(), 20), t0)
		s.SetRole(1, Auto)
		require.Equal(t, []Port{1}, routerPorts(s, 10), "its role already")
		s.SetRole(1, role)
		require.Equal(t, role, s.Role(1))
		if role == Router {
			require.Equal(t, []Port{1}, routerPorts(s, 10))
			s.SetRole(1, Auto)
		}
		require.Empty(t, routerPorts(s, 10))
		require.Empty(t, routerPorts(s, 20))
		_, waiting := s.Next()
		require.False(t, waiting)
	}
}

func TestARemovedPortIsANewOneWhenItsNumberReturns(t *testing.T) {
	for role := Auto; role <= Trusted; role++ {
		s := New(Config{})
		s.SetRole(1, role)
		s.Frame(1, frameOf(t, querier, generalQuery()), t0)
		s.Frame(2, frameOf(t, querier, generalQuery()), t0)
		s.RemovePort(1)
		require.Equal(t, []Port{2}, routerPorts(s, 0), role)
		require.Equal(t, Auto, s.Role(1))
		s.RemovePort(77)
		require.Equal(t, []Port{2}, routerPorts(s, 0), role)
	}
}

func TestAnUnknownRoleIsNotBelieved(t *testing.T) {
	s := New(Config{})
	s.SetRole(1, Trusted+1)
	require.Equal(t, Member, s.Role(1))
}
