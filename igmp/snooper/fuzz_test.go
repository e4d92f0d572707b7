package snooper

import (
	"testing"
	"time"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/stretchr/testify/require"
)

// policy is a Snooper's setting in the bits of one byte: two for the role of port 1, one for strict checks, two for
// the validator, one for tight limits.
type policy uint8

const (
	tightRecords = 2
	tightSources = 2
)

func (p policy) role() Role         { return Role(p & 3) }
func (p policy) strict() bool       { return p&4 != 0 }
func (p policy) decision() Decision { return Decision(p >> 3 & 3) } // 0: no validator
func (p policy) tight() bool        { return p&32 != 0 && p.role() != Trusted }

func (p policy) snooper() *Snooper {
	var cfg Config
	if p.strict() {
		cfg.Checks = StrictChecks()
	}
	if d := p.decision(); d != 0 {
		cfg.Validator = func(Record) Decision { return d }
	}
	if p&32 != 0 {
		cfg.Limits = Limits{FramesPerSecond: 1, FrameBurst: 1, RecordsPerReport: tightRecords, SourcesPerRecord: tightSources}
	}
	s := New(cfg)
	s.SetRole(1, p.role())
	return s
}

// FuzzFrame gives two frames, under any policy: no panic, one verdict each, every record accounted for, and no record
// or router port that the rules or the policy forbid.
func FuzzFrame(f *testing.F) {
	frames := packets(f, "odd")
	for i, p := range frames {
		f.Add(p.Data, frames[(i*7+3)%len(frames)].Data, uint8(i%64))
	}
	f.Add(hello(querier, 0, 1, 0, 2, 0, 105), hello(querier, 0, 2, 0, 3, 0), uint8(Auto))
	f.Fuzz(func(t *testing.T, first, second []byte, bits uint8) {
		p := policy(bits)
		s := p.snooper()
		before := s.Counters()
		for i, frame := range [][]byte{first, second} {
			r := s.Frame(1, frame, t0.Add(time.Duration(i)*time.Second/2))
			after := s.Counters()
			checkCounted(t, frame, r, &before, &after)
			checkResult(t, s, r)
			checkPolicy(t, p, frame, r)
			before = after
		}
	})
}

// keptOut are the verdicts on frames that were not read any further.
var keptOut = map[Verdict]bool{
	IgnoredTTL: true, IgnoredNoRouterAlert: true, IgnoredDestination: true, IgnoredSource: true, IgnoredUnspecified: true,
	IgnoredSubnet: true, IgnoredSenderMAC: true, IgnoredVLAN: true, IgnoredRate: true, IgnoredPortLimit: true,
}

func checkCounted(t *testing.T, frame []byte, r Result, before, after *Counters) {
	require.Equal(t, before.Frames.Total()+1, after.Frames.Total())
	require.Equal(t, before.Frames[r.Verdict]+1, after.Frames[r.Verdict])
	taken := func(c *Counters) uint64 { return c.Records[AcceptedReport] + c.Records[AcceptedAsLeave] }
	require.Equal(t, len(r.Records), int(taken(after)-taken(before)))

	var d igmp.Decoder
	v, err := d.Frame(frame)
	records := 0
	switch {
	case err != nil || keptOut[r.Verdict]:
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
	require.Equal(t, r.Verdict == AcceptedReport || r.Verdict == AcceptedAsLeave, len(r.Records) > 0)
	require.True(t, !keptOut[r.Verdict] || r.Forward == ForwardNone || r.Verdict == IgnoredDestination && r.Forward == ForwardNormal)
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

func checkPolicy(t *testing.T, p policy, frame []byte, r Result) {
	for _, rec := range r.Records {
		if p.decision() == TreatAsLeave {
			require.True(t, rec.Kind == igmp.ToIn && len(rec.Sources) == 0)
			require.Equal(t, ForwardNone, r.Forward)
		}
		require.True(t, !p.tight() || len(rec.Sources) <= tightSources)
	}
	require.True(t, p.decision() != Drop || len(r.Records) == 0)
	require.True(t, !p.tight() || len(r.Records) <= tightRecords)
	if p.strict() && (len(r.Records) > 0 || r.Query != nil) {
		require.NotZero(t, frame[6]&1^1, "a station's MAC")
		var d igmp.Decoder
		v, err := d.Frame(frame)
		require.NoError(t, err)
		require.Equal(t, uint8(1), v.TTL)
		require.True(t, v.RouterAlert || v.Version == 1)
		require.True(t, v.Dst.IsMulticast())
	}
}
