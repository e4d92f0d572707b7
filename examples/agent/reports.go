package main

import (
	"net/netip"
	"slices"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/mcast"
)

// What router ports are told, as one host would say it that wants what all members elsewhere want.

// currentState answers a query about a group, and of its sources those named, if any is (RFC 9776 5.2).
func currentState(g netip.Addr, f mcast.Filter, sources []netip.Addr) (igmp.Record, bool) {
	if len(sources) > 0 {
		wanted := slices.DeleteFunc(slices.Clone(sources), func(s netip.Addr) bool { return !f.Accepts(s) })
		return igmp.Record{Type: igmp.IsIn, Group: g, Sources: wanted}, len(wanted) > 0
	}
	r := igmp.Record{Type: igmp.IsIn, Group: g, Sources: slices.Collect(f.Sources())}
	if f.Mode() == mcast.Exclude {
		r.Type = igmp.IsEx
	}
	return r, !f.IsNone()
}

// inVersion is the answer as a router of that version understands it; it has asked in it.
func inVersion(version uint8, records []igmp.Record) []igmp.Message {
	if version == 0 || version == 3 {
		if len(records) == 0 {
			return nil
		}
		return []igmp.Message{&igmp.ReportV3{Records: records}}
	}
	var messages []igmp.Message
	for _, r := range records {
		messages = append(messages, join(version, r.Group))
	}
	return messages
}

func join(version uint8, g netip.Addr) igmp.Message {
	if version == 1 {
		return &igmp.ReportV1{Group: g}
	}
	return &igmp.ReportV2{Group: g}
}

// changeMessages tell of a change (RFC 9776 5.1) in the version of the router, 0 if none was heard.
func changeMessages(version uint8, g netip.Addr, before, now mcast.Filter) []igmp.Message {
	if version == 0 || version == 3 {
		records := changeRecords(g, before, now)
		if len(records) == 0 {
			return nil
		}
		return []igmp.Message{&igmp.ReportV3{Records: records}}
	}
	switch {
	case before.IsNone() && !now.IsNone():
		return []igmp.Message{join(version, g)}
	case !before.IsNone() && now.IsNone() && version == 2:
		return []igmp.Message{&igmp.Leave{Group: g}}
	}
	return nil
}

func changeRecords(g netip.Addr, before, now mcast.Filter) []igmp.Record {
	record := func(t igmp.RecordType, sources []netip.Addr) igmp.Record {
		return igmp.Record{Type: t, Group: g, Sources: sources}
	}
	switch {
	case now.Mode() != before.Mode() && now.Mode() == mcast.Exclude:
		return []igmp.Record{record(igmp.ToEx, slices.Collect(now.Sources()))}
	case now.Mode() != before.Mode():
		return []igmp.Record{record(igmp.ToIn, slices.Collect(now.Sources()))}
	}
	allow, block := without(now, before), without(before, now)
	if now.Mode() == mcast.Exclude { // the lists are of what is not wanted
		allow, block = block, allow
	}
	var records []igmp.Record
	if len(allow) > 0 {
		records = append(records, record(igmp.Allow, allow))
	}
	if len(block) > 0 {
		records = append(records, record(igmp.Block, block))
	}
	return records
}

// without are the sources that are in the list of one filter and not of the other, of the same mode.
func without(f, o mcast.Filter) []netip.Addr {
	listed := func(s netip.Addr) bool { return o.Accepts(s) == (o.Mode() == mcast.Include) }
	return slices.DeleteFunc(slices.Collect(f.Sources()), listed)
}
