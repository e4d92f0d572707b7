package peers

import (
	"maps"
	"net/netip"
	"slices"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/mcast"
)

// byVLAN are records by the VLAN of their groups: a frame is in one.
type byVLAN map[uint16][]igmp.Record

func (b byVLAN) add(g mcast.Group, records ...igmp.Record) {
	b[uint16(g.Segment)] = append(b[uint16(g.Segment)], records...)
}

// reports are as many reports as the records need.
func (x *Exchange) reports(to netip.Addr, records byVLAN) []Packet {
	var out []Packet
	for _, vlan := range slices.Sorted(maps.Keys(records)) {
		for part := range igmp.SplitReport(&igmp.ReportV3{Records: records[vlan]}, x.cfg.MTU) {
			out = append(out, x.packets(to, vlan, part)...)
		}
	}
	return out
}

// everything is what is wanted here, as the answer to a query.
func (x *Exchange) everything() byVLAN {
	records := byVLAN{}
	for _, g := range slices.SortedFunc(maps.Keys(x.wants), mcast.Group.Compare) {
		f := x.wants[g].filter
		r := igmp.Record{Type: igmp.IsIn, Group: g.Addr, Sources: slices.Collect(f.Sources())}
		if f.Mode() == mcast.Exclude {
			r.Type = igmp.IsEx
		}
		if !f.IsNone() {
			records.add(g, r)
		}
	}
	return records
}

// change is what is wanted from now on, whatever was before. TO_IN must not be split: each part would
// end the sources of the others. So those that one packet has no room for are allowed beside it.
func (x *Exchange) change(g netip.Addr, f mcast.Filter) []igmp.Record {
	sources := slices.Collect(f.Sources())
	if f.Mode() == mcast.Exclude {
		return []igmp.Record{{Type: igmp.ToEx, Group: g, Sources: sources}}
	}
	// IPv4 with Router Alert, the report's header, and the record's (RFC 9776 4 and 4.2).
	room := (x.cfg.MTU - 24 - 8 - 8) / 4
	first := min(room, len(sources))
	records := []igmp.Record{{Type: igmp.ToIn, Group: g, Sources: sources[:first]}}
	if first < len(sources) {
		records = append(records, igmp.Record{Type: igmp.Allow, Group: g, Sources: sources[first:]})
	}
	return records
}
