package igmp

import (
	"iter"
	"net/netip"
)

// minMTU is what every IPv4 link carries (RFC 791 3.2). Smaller values are taken for it, so that splitting ends.
const minMTU = 68

// room returns how many bytes of message fit a link, behind an IPv4 header with Router Alert.
func room(mtu int) int {
	return min(max(mtu, minMTU), ipMaxPacket) - ipAlertHeader
}

// SplitQuery yields q in as many queries as its sources need on a link of this MTU (the IPv4 packet's size, 1500 on
// Ethernet: 366 sources each). All else is repeated, the S flag and QRV too. An MTU under 68 counts as 68. The parts
// share q's sources.
func SplitQuery(q *Query, mtu int) iter.Seq[*Query] {
	limit := (room(mtu) - queryV3) / addrLen
	return func(yield func(*Query) bool) {
		for sources := q.Sources; ; {
			part := *q
			part.Sources, sources = cut(sources, limit)
			if !yield(&part) || len(sources) == 0 {
				return
			}
		}
	}
}

// SplitReport yields r in as many reports as its records need on a link of this MTU (the IPv4 packet's size, 1500 on
// Ethernet: 183 records without sources each), records in their order (RFC 9776 4.2.17). A record that no report holds
// whole is split into several of its type with some of the sources each; IS_EX and TO_EX are cut to the first sources
// that fit instead, since each part would unblock the others' sources. An MTU under 68 counts as 68. A report without
// records is yielded as it is. The parts share r's sources.
func SplitReport(r *ReportV3, mtu int) iter.Seq[*ReportV3] {
	space := room(mtu) - groupMessage
	return func(yield func(*ReportV3) bool) {
		part, used := &ReportV3{}, 0
		for piece := range pieces(r.Records, space) {
			if used+piece.size() > space {
				if !yield(part) {
					return
				}
				part, used = &ReportV3{}, 0
			}
			part.Records = append(part.Records, piece)
			used += piece.size()
		}
		yield(part)
	}
}

// pieces yields the records, cut so that each fits space.
func pieces(records []Record, space int) iter.Seq[Record] {
	limit := (space - recordHeader) / addrLen
	return func(yield func(Record) bool) {
		for _, rec := range records {
			for sources := rec.Sources; ; {
				rec.Sources, sources = cut(sources, limit)
				if !yield(rec) {
					return
				}
				if len(sources) == 0 || rec.Type == IsEx || rec.Type == ToEx {
					break
				}
			}
		}
	}
}

// cut returns the first n sources and the rest.
func cut(s []netip.Addr, n int) (first, rest []netip.Addr) {
	n = min(n, len(s))
	return s[:n:n], s[n:]
}
