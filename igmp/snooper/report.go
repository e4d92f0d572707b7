package snooper

import "github.com/ofmcast/ofmcast/igmp"

// readReport turns a report or leave of any version into records. Whatever the protocol makes of them, the frame goes
// to the router ports: a router judges by its own rules. What Config holds back goes nowhere, unless in one frame with
// what is allowed.
func (s *Snooper) readReport(in *input) Result {
	if v := s.admit(in, hosts); v != noObjection {
		return ignored(v)
	}
	s.records, s.sources = s.records[:0], s.sources[:0]
	var verdict Verdict
	switch in.Type {
	case igmp.TypeReportV3:
		verdict = s.readRecords(in)
	case igmp.TypeLeave:
		verdict = s.readRecord(in, igmp.ToIn, in.Group, igmp.RecordView{})
	default:
		verdict = s.readRecord(in, igmp.IsEx, in.Group, igmp.RecordView{})
	}
	forward := ForwardRouters
	if r := rank(verdict); r == rankLeave || r == rankHeldBack {
		forward = ForwardNone
	}
	return Result{Verdict: verdict, Forward: forward, Records: s.records}
}

// readRecords reads the records of a v3 report and returns the frame's verdict, that of the highest rank.
func (s *Snooper) readRecords(in *input) Verdict {
	verdict, room := AcceptedEmpty, s.cfg.Limits.RecordsPerReport
	if in.role == Trusted {
		room = unlimited
	}
	for rec := range in.Records() {
		v := IgnoredRecordLimit
		if room > 0 {
			room--
			v = s.readRecord(in, rec.Type, rec.Group, rec)
		} else {
			s.counters.Records[v]++
		}
		if verdict == AcceptedEmpty || rank(v) > rank(verdict) {
			verdict = v
		}
	}
	return verdict
}

// How much the verdict on a record says of its frame.
const (
	rankOther = iota
	rankHeldBack
	rankLeave
	rankReport
)

func rank(record Verdict) int {
	switch record {
	case AcceptedReport:
		return rankReport
	case AcceptedAsLeave:
		return rankLeave
	case IgnoredByValidator, IgnoredRecordLimit, IgnoredSourceLimit:
		return rankHeldBack
	}
	return rankOther
}
