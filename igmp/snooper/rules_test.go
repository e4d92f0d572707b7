package snooper

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/igmp"
)

// hostMessages are one of each that hosts send.
func hostMessages() []igmp.Message {
	return []igmp.Message{
		&igmp.ReportV1{Group: group}, &igmp.ReportV2{Group: group}, &igmp.Leave{Group: group},
		&igmp.ReportV3{Records: []igmp.Record{{Type: igmp.ToEx, Group: group}}},
	}
}

// A host that hears another's report keeps its own back, and would never be known.
func TestReportsAndLeavesGoToRouterPortsAlone(t *testing.T) {
	s := New(Config{})
	for _, m := range hostMessages() {
		r := s.Frame(1, frameOf(t, host, m), t0)
		require.Equal(t, AcceptedReport, r.Verdict, m.Type())
		require.Equal(t, ForwardRouters, r.Forward, m.Type())
	}
}

// A host without an address, and a switch that reports for its hosts, say 0.0.0.0.
func TestReportsFrom0000CountUnlessStrict(t *testing.T) {
	lenient, strict := New(Config{}), New(Config{Checks: Checks{Unspecified: CheckStrict}})
	for _, m := range hostMessages() {
		frame := frameOf(t, nobody, m)
		r := lenient.Frame(1, frame, t0)
		require.Len(t, r.Records, 1, m.Type())
		require.Equal(t, ForwardRouters, r.Forward, m.Type())
		require.Equal(t, IgnoredUnspecified, strict.Frame(1, frame, t0).Verdict, m.Type())
	}
}

// The S flag is about timers, not about who the querier is.
func TestTheSFlagHidesNoRouter(t *testing.T) {
	m := generalQuery()
	m.SuppressRouter = true
	s := New(Config{})
	r := s.Frame(7, frameOf(t, querier, m), t0)
	require.True(t, r.Query.SuppressRouter)
	require.Equal(t, []Port{7}, routerPorts(s, 0))
}

// Nothing in a packet with a wrong checksum, of whichever layer, is used or passed on; it is counted.
func TestABrokenPacketTeachesNothingAndGoesNowhere(t *testing.T) {
	for _, whole := range steady(t) {
		if whole.name == "broken" || whole.name == "cut" {
			continue
		}
		ip := slices.Clone(whole.frame)
		ip[14+8]++ // the TTL
		message := slices.Clone(whole.frame)
		message[len(message)-1]++
		for want, frame := range map[Verdict][]byte{RefusedIPChecksum: ip, RefusedChecksum: message} {
			s := New(Config{})
			r := s.Frame(1, frame, t0)
			require.Equal(t, want, r.Verdict, whole.name)
			require.Equal(t, ForwardNone, r.Forward, whole.name)
			require.Empty(t, r.Records, whole.name)
			require.Nil(t, r.Query, whole.name)
			require.Empty(t, routerPorts(s, 0), whole.name)
			require.Equal(t, uint64(1), s.Counters().Frames[want], whole.name)
		}
	}
}
