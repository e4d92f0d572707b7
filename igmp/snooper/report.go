package snooper

import (
	"net/netip"

	"github.com/ofmcast/ofmcast/igmp"
)

// readReport turns a report or leave of any version into records. Whatever becomes of them, the frame goes to the
// router ports: a router judges by its own rules.
func (s *Snooper) readReport(in *input) Result {
	s.records, s.sources = s.records[:0], s.sources[:0]
	verdict := AcceptedEmpty
	if in.Type == igmp.TypeReportV3 {
		for rec := range in.Records() {
			verdict = frameVerdict(verdict, s.readRecord(in, rec.Type, rec.Group, rec))
		}
	} else {
		kind := igmp.IsEx
		if in.Type == igmp.TypeLeave {
			kind = igmp.ToIn
		}
		verdict = s.readRecord(in, kind, in.Group, igmp.RecordView{})
	}
	return Result{Verdict: verdict, Forward: ForwardRouters, Records: s.records}
}

// frameVerdict adds a record's verdict to that of its frame.
func frameVerdict(frame, record Verdict) Verdict {
	if frame == AcceptedEmpty || record == AcceptedReport {
		return record
	}
	return frame
}

// readRecord judges one record and takes it or not; the list of sources is all that it uses of rec.
func (s *Snooper) readRecord(in *input, kind igmp.RecordType, group netip.Addr, rec igmp.RecordView) Verdict {
	verdict := s.judge(in.Version, kind, group)
	s.counters.Records[verdict]++
	if verdict == AcceptedReport {
		s.records = append(s.records, Record{
			Port: in.port, Host: in.host(), VLAN: in.vlan, Group: group, Kind: kind,
			Sources: s.takeSources(rec), Version: in.Version, At: in.at,
		})
	}
	return verdict
}

// judge says whether a record may be used.
func (s *Snooper) judge(version uint8, kind igmp.RecordType, group netip.Addr) Verdict {
	switch {
	case !kind.Known():
		return IgnoredRecordType
	case !group.IsMulticast():
		return IgnoredNotMulticast
	case linkLocal(group):
		return IgnoredLinkLocal
	case anySource(version, kind) && s.sourceSpecific(group):
		return IgnoredSSM
	}
	return AcceptedReport
}

// anySource tells what RFC 4604 2.2 wants ignored in the source-specific range: messages of versions 1 and 2, leaves
// too, and records that change to or tell of exclude mode. BLOCK and the include records are what such hosts send.
func anySource(version uint8, kind igmp.RecordType) bool {
	return version < 3 || kind == igmp.IsEx || kind == igmp.ToEx
}

func (s *Snooper) sourceSpecific(group netip.Addr) bool {
	for _, p := range s.cfg.SSM {
		if p.Contains(group) {
			return true
		}
	}
	return false
}

// takeSources copies a record's sources behind those of the records before it. When the array has to grow, earlier
// records keep the old one.
func (s *Snooper) takeSources(rec igmp.RecordView) []netip.Addr {
	start := len(s.sources)
	for a := range rec.Sources() {
		if isSource(a) {
			s.sources = append(s.sources, a)
		} else {
			s.counters.SourcesIgnored++
		}
	}
	return s.sources[start:len(s.sources):len(s.sources)]
}

var broadcast = netip.AddrFrom4([4]byte{255, 255, 255, 255})

// isSource tells whether a packet can come from a (RFC 1122 3.2.1.3).
func isSource(a netip.Addr) bool {
	return !a.IsUnspecified() && !a.IsMulticast() && a != broadcast
}
