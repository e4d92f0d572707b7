package snooper

import (
	"testing"
	"time"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/stretchr/testify/require"
)

// FuzzFrame gives two frames, from a port of any role: no panic, one verdict each, every record accounted for, and no
// record or router port that the rules forbid.
func FuzzFrame(f *testing.F) {
	frames := packets(f, "odd")
	for i, p := range frames {
		f.Add(p.Data, frames[(i*7+3)%len(frames)].Data, uint8(i%4))
	}
	f.Add(hello(querier, 0, 1, 0, 2, 0, 105), hello(querier, 0, 2, 0, 3, 0), uint8(Auto))
	f.Fuzz(func(t *testing.T, first, second []byte, role uint8) {
		s := New(Config{})
		s.SetRole(1, Role(role%4))
		before := s.Counters()
		for i, frame := range [][]byte{first, second} {
			r := s.Frame(1, frame, t0.Add(time.Duration(i)*time.Second))
			after := s.Counters()
			checkCounted(t, frame, r, &before, &after)
			checkResult(t, s, r)
			before = after
		}
	})
}

func checkCounted(t *testing.T, frame []byte, r Result, before, after *Counters) {
	require.Equal(t, before.Frames.Total()+1, after.Frames.Total())
	require.Equal(t, before.Frames[r.Verdict]+1, after.Frames[r.Verdict])
	require.Equal(t, len(r.Records), int(after.Records[AcceptedReport]-before.Records[AcceptedReport]))

	var d igmp.Decoder
	v, err := d.Frame(frame)
	records := 0
	switch {
	case err != nil:
	case v.Type == igmp.TypeReportV3:
		records = v.NumRecords()
	case v.Type == igmp.TypeReportV1, v.Type == igmp.TypeReportV2, v.Type == igmp.TypeLeave:
		records = 1
	}
	require.Equal(t, records, int(after.Records.Total()-before.Records.Total()))
}

func checkResult(t *testing.T, s *Snooper, r Result) {
	require.NotContains(t, r.Verdict.String(), "Verdict(")
	require.NotContains(t, r.Forward.String(), "Forward(")
	require.Equal(t, r.Verdict == AcceptedQuery, r.Query != nil)
	require.Equal(t, r.Verdict == AcceptedReport, len(r.Records) > 0)
	for _, rec := range r.Records {
		require.True(t, rec.Group.Is4() && rec.Group.IsMulticast() && !linkLocal(rec.Group))
		require.True(t, rec.Kind.Known())
		require.True(t, rec.Version >= 1 && rec.Version <= 3)
		for _, a := range rec.Sources {
			require.True(t, a.Is4() && !a.IsMulticast() && !a.IsUnspecified())
		}
	}
	switch s.Role(1) {
	case Router:
		require.Equal(t, []Port{1}, routerPorts(s, r.VLAN))
	case Member:
		require.Nil(t, r.Query)
		require.Empty(t, routerPorts(s, r.VLAN))
	}
}
