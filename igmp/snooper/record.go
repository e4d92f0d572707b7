package snooper

import (
	"net/netip"

	"github.com/ofmcast/ofmcast/igmp"
)

// readRecord judges one record and takes it or not; the list of sources is all that it uses of rec.
func (s *Snooper) readRecord(in *input, kind igmp.RecordType, group netip.Addr, rec igmp.RecordView) Verdict {
	verdict := s.judge(in.Version, kind, group)
	switch {
	case verdict != AcceptedReport:
	case in.role != Trusted && rec.NumSources() > s.cfg.Limits.SourcesPerRecord:
		verdict = IgnoredSourceLimit
	default:
		s.records = append(s.records, Record{
			Port: in.port, Host: in.host(), VLAN: in.vlan, Group: group, Kind: kind,
			Sources: s.takeSources(rec), Version: in.Version, At: in.at,
		})
		if s.cfg.Validator != nil {
			verdict = s.validate()
		}
	}
	s.counters.Records[verdict]++
	return verdict
}

// validate does with the last record what the Validator says.
func (s *Snooper) validate() Verdict {
	last := len(s.records) - 1
	rec := &s.records[last]
	switch s.cfg.Validator(*rec) {
	case Allow:
		return AcceptedReport
	case TreatAsLeave:
		rec.Kind, rec.Sources = igmp.ToIn, nil
		return AcceptedAsLeave
	}
	s.records = s.records[:last]
	return IgnoredByValidator
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
	return anyContains(s.cfg.SSM, group)
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
