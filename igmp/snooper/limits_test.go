package snooper

import (
	"fmt"
	"testing"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/stretchr/testify/require"
)

func manyGroups(n int) *igmp.ReportV3 {
	m := &igmp.ReportV3{}
	for i := range n {
		m.Records = append(m.Records, igmp.Record{Type: igmp.ToEx, Group: addrFrom4([4]byte{239, 9, byte(i >> 8), byte(i)})})
	}
	return m
}

func manySources(n int) []igmp.Record {
	r := igmp.Record{Type: igmp.Allow, Group: group}
	for i := range n {
		r.Sources = append(r.Sources, addrFrom4([4]byte{198, 18, byte(i >> 8), byte(i)}))
	}
	return []igmp.Record{r, {Type: igmp.ToEx, Group: addr("239.1.1.2")}}
}

func TestRecordsBeyondTheLimitAreCountedNotRead(t *testing.T) {
	for _, c := range []struct {
		limit, sent, taken int
		role               Role
	}{
		{limit: 0, sent: 2049, taken: 2048},
		{limit: 0, sent: 2048, taken: 2048},
		{limit: -1, sent: 8187, taken: 8187},
		{limit: 100, sent: 1000, taken: 100},
		{limit: 100, sent: 1000, taken: 100, role: Member},
		{limit: 100, sent: 1000, taken: 100, role: Router},
		{limit: 100, sent: 1000, taken: 1000, role: Trusted},
		{limit: 1, sent: 1, taken: 1},
	} {
		t.Run(fmt.Sprintf("%d of %d from %v", c.limit, c.sent, c.role), func(t *testing.T) {
			s := New(Config{Limits: Limits{RecordsPerReport: c.limit}})
			s.SetRole(1, c.role)
			r := s.Frame(1, frameOf(t, host, manyGroups(c.sent)), t0)
			require.Equal(t, AcceptedReport, r.Verdict)
			require.Equal(t, ForwardRouters, r.Forward)
			require.Len(t, r.Records, c.taken)
			counted := s.Counters().Records
			require.Equal(t, uint64(c.taken), counted[AcceptedReport])
			require.Equal(t, uint64(c.sent-c.taken), counted[IgnoredRecordLimit])
		})
	}
}

// A record cut short would say something else: the rest of an exclude list would be let in.
func TestARecordWithTooManySourcesIsIgnoredWhole(t *testing.T) {
	for _, c := range []struct {
		limit, sent int
		taken       bool
		role        Role
	}{
		{limit: 0, sent: 4096, taken: true},
		{limit: 0, sent: 4097, taken: false},
		{limit: -1, sent: 16000, taken: true},
		{limit: 2, sent: 3, taken: false},
		{limit: 2, sent: 3, taken: false, role: Router},
		{limit: 2, sent: 3, taken: true, role: Trusted},
	} {
		t.Run(fmt.Sprintf("%d of %d from %v", c.limit, c.sent, c.role), func(t *testing.T) {
			s := New(Config{Limits: Limits{SourcesPerRecord: c.limit}})
			s.SetRole(1, c.role)
			r := s.Frame(1, frameOf(t, host, &igmp.ReportV3{Records: manySources(c.sent)}), t0)
			if c.taken {
				require.Len(t, r.Records, 2)
				require.Len(t, r.Records[0].Sources, c.sent)
				return
			}
			require.Len(t, r.Records, 1, "the other record is none the worse")
			require.Equal(t, addr("239.1.1.2"), r.Records[0].Group)
			require.Equal(t, uint64(1), s.Counters().Records[IgnoredSourceLimit])
		})
	}
}

func TestAReportOfWhichNothingIsTakenForItsSizeGoesNowhere(t *testing.T) {
	s := New(Config{Limits: Limits{SourcesPerRecord: 2, RecordsPerReport: 1}})
	r := s.Frame(1, frameOf(t, host, &igmp.ReportV3{Records: manySources(3)}), t0)
	require.Equal(t, IgnoredSourceLimit, r.Verdict)
	require.Equal(t, ForwardNone, r.Forward)
	require.Equal(t, uint64(1), s.Counters().Records[IgnoredSourceLimit])
	require.Equal(t, uint64(1), s.Counters().Records[IgnoredRecordLimit])

	// A group that nobody tracks does not save it.
	r = s.Frame(1, frameOf(t, host, toEx("224.0.0.251", "239.1.1.1")), t0)
	require.Equal(t, IgnoredRecordLimit, r.Verdict)
	require.Equal(t, ForwardNone, r.Forward)
}

// The records of a report that is not let in are not looked at.
func TestARefusedFrameHasNoRecords(t *testing.T) {
	s := New(Config{Limits: Limits{FramesPerSecond: 1, FrameBurst: 1}})
	s.Frame(1, frameOf(t, host, manyGroups(3)), t0)
	r := s.Frame(1, frameOf(t, host, manyGroups(3)), t0)
	require.Equal(t, IgnoredRate, r.Verdict)
	require.Equal(t, ForwardNone, r.Forward)
	require.Empty(t, r.Records)
	require.Equal(t, uint64(3), s.counters.Records.Total())
}
