package snooper

import (
	"testing"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/stretchr/testify/require"
)

var (
	allowed = addr("239.1.1.1")
	denied  = addr("239.2.2.2")
	revoked = addr("239.3.3.3")
	silent  = addr("224.0.0.251")
)

// byGroup allows a group, drops another and turns a third into a leave.
func byGroup(rec Record) Decision {
	switch rec.Group {
	case denied:
		return Drop
	case revoked:
		return TreatAsLeave
	}
	return Allow
}

func toEx(groups ...string) *igmp.ReportV3 {
	m := &igmp.ReportV3{}
	for _, g := range groups {
		m.Records = append(m.Records, igmp.Record{Type: igmp.ToEx, Group: addr(g)})
	}
	return m
}

func TestAValidatorDecidesAboutEachRecord(t *testing.T) {
	s := New(Config{Validator: byGroup})
	m := &igmp.ReportV3{Records: []igmp.Record{
		{Type: igmp.Allow, Group: revoked, Sources: addrs("198.51.100.1", "198.51.100.2")},
		{Type: igmp.ToEx, Group: denied, Sources: addrs("198.51.100.3")},
		{Type: igmp.IsIn, Group: allowed, Sources: addrs("198.51.100.4")},
		{Type: igmp.ToEx, Group: silent},
	}}
	r := s.Frame(3, frameOf(t, host, m, 10), t0)
	require.Equal(t, AcceptedReport, r.Verdict)
	require.Equal(t, ForwardRouters, r.Forward)
	from := Record{Port: 3, Host: Host{MAC: hostMAC, Addr: host}, VLAN: 10, Version: 3, At: t0}
	leave, stay := from, from
	leave.Group, leave.Kind = revoked, igmp.ToIn
	stay.Group, stay.Kind, stay.Sources = allowed, igmp.IsIn, addrs("198.51.100.4")
	sameRecords(t, []Record{leave, stay}, r.Records)

	c := s.Counters()
	require.Equal(t, uint64(4), c.Records.Total())
	for _, v := range []Verdict{AcceptedReport, AcceptedAsLeave, IgnoredByValidator, IgnoredLinkLocal} {
		require.Equal(t, uint64(1), c.Records[v], v.String())
	}
}

func TestAValidatorSeesWhatWouldBeTaken(t *testing.T) {
	var seen []Record
	s := New(Config{Validator: func(rec Record) Decision {
		seen = append(seen, rec)
		return Allow
	}})
	for role := Auto; role <= Trusted; role++ {
		seen = nil
		s.SetRole(1, role)
		m := &igmp.ReportV3{Records: []igmp.Record{
			{Type: igmp.Block, Group: group, Sources: addrs("198.51.100.1", "0.0.0.0")},
			{Type: igmp.ToEx, Group: addr("232.1.1.1")}, {Type: igmp.ToEx, Group: silent},
		}}
		r := s.Frame(1, frameOf(t, host, m, 10), t0)
		sameRecords(t, r.Records, seen)
		require.Len(t, seen, 1)
		require.Equal(t, addrs("198.51.100.1"), seen[0].Sources)
		s.Frame(1, frameOf(t, querier, generalQuery()), t0)
		require.Len(t, seen, 1, "queries are not its business")
	}
}

// What is held back goes nowhere, unless it is in one frame with what is allowed.
func TestTheFrameOfARefusedRecordGoesNowhere(t *testing.T) {
	for _, c := range []struct {
		name    string
		m       igmp.Message
		verdict Verdict
		forward Forward
		says    string
	}{
		{"v2 allowed", &igmp.ReportV2{Group: allowed}, AcceptedReport, ForwardRouters, "v2 IS_EX 239.1.1.1{}"},
		{"v2 denied", &igmp.ReportV2{Group: denied}, IgnoredByValidator, ForwardNone, ""},
		{"v1 denied", &igmp.ReportV1{Group: denied}, IgnoredByValidator, ForwardNone, ""},
		{"leave denied", &igmp.Leave{Group: denied}, IgnoredByValidator, ForwardNone, ""},
		{"v1 revoked", &igmp.ReportV1{Group: revoked}, AcceptedAsLeave, ForwardNone, "v1 TO_IN 239.3.3.3{}"},
		{"v2 revoked", &igmp.ReportV2{Group: revoked}, AcceptedAsLeave, ForwardNone, "v2 TO_IN 239.3.3.3{}"},
		{"denied, allowed", toEx("239.2.2.2", "239.1.1.1"), AcceptedReport, ForwardRouters, "v3 TO_EX 239.1.1.1{}"},
		{"allowed, denied", toEx("239.1.1.1", "239.2.2.2"), AcceptedReport, ForwardRouters, "v3 TO_EX 239.1.1.1{}"},
		{"revoked, allowed", toEx("239.3.3.3", "239.1.1.1"), AcceptedReport, ForwardRouters, "v3 TO_IN 239.3.3.3{}; v3 TO_EX 239.1.1.1{}"},
		{"denied, revoked", toEx("239.2.2.2", "239.3.3.3"), AcceptedAsLeave, ForwardNone, "v3 TO_IN 239.3.3.3{}"},
		{"link-local, denied", toEx("224.0.0.251", "239.2.2.2"), IgnoredByValidator, ForwardNone, ""},
		{"link-local, source-specific", toEx("224.0.0.251", "232.1.1.1"), IgnoredLinkLocal, ForwardRouters, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := New(Config{Validator: byGroup})
			r := s.Frame(1, frameOf(t, host, c.m), t0)
			require.Equal(t, c.verdict.String(), r.Verdict.String())
			require.Equal(t, c.forward, r.Forward)
			require.Equal(t, c.says, told(s, r))
			require.Equal(t, uint64(1), s.Counters().Frames[c.verdict])
		})
	}
}

func TestADecisionThatIsNoneDrops(t *testing.T) {
	for _, d := range []Decision{0, TreatAsLeave + 1} {
		s := New(Config{Validator: func(Record) Decision { return d }})
		require.Equal(t, IgnoredByValidator, s.Frame(1, frameOf(t, host, toEx("239.1.1.1")), t0).Verdict)
	}
}

func TestADeniedRecordLeavesNothingInTheNext(t *testing.T) {
	s := New(Config{Validator: byGroup})
	s.Frame(1, frameOf(t, host, toEx("239.1.1.1")), t0)
	r := s.Frame(1, frameOf(t, host, toEx("239.2.2.2")), t0)
	require.Empty(t, r.Records)
}
