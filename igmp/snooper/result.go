package snooper

import (
	"net/netip"
	"time"

	"github.com/ofmcast/ofmcast/igmp"
)

// Result is what a frame meant. It points into the Snooper and is valid until its next call.
type Result struct {
	// Verdict says what became of the frame.
	Verdict Verdict
	// Forward says where it must go.
	Forward Forward
	// VLAN is where it came from, for RouterPorts and for finding the group's members; 0 when the frame ends before.
	VLAN VLAN
	// Records is what a report or leave says about memberships, in the order of the wire, without the records that
	// were ignored.
	Records []Record
	// Query is not nil if the frame is a query that was accepted.
	Query *Query
}

// Host is who sent a frame. Behind one port there may be many.
type Host struct {
	// MAC is the Ethernet source.
	MAC igmp.MAC
	// Addr is the IPv4 source; 0.0.0.0 for a host without an address yet (RFC 9776 4.2.14).
	Addr netip.Addr
}

// Record is one statement about one group. All versions have this one shape: a v1 or v2 report reads as IS_EX{}, a
// leave as TO_IN{} (RFC 9776 7.3.2), and Version tells them apart from what a v3 host said.
type Record struct {
	// Port is where it came from.
	Port Port
	// Host is who said it.
	Host Host
	// VLAN is where Group is meant.
	VLAN VLAN
	// Group is a multicast address outside 224.0.0.0/24.
	Group netip.Addr
	// Kind is one of the six record types.
	Kind igmp.RecordType
	// Sources is the record's list in the order of the wire, repetitions included, without addresses that no packet
	// can come from (0.0.0.0, multicast, broadcast). Leaving those out does not change what the record means.
	Sources []netip.Addr
	// Version is the IGMP version of the message, 1 to 3.
	Version uint8
	// At is the time that Frame was given.
	At time.Time
}

// Query is a query that a querier's election and a cache's timers should hear of.
type Query struct {
	// Port is where it came from.
	Port Port
	// Host is who sent it; see Proxy.
	Host Host
	// VLAN is where it asks.
	VLAN VLAN
	// Version is the IGMP version, 1 to 3.
	Version uint8
	// Group is the group asked for; 0.0.0.0 in a general query. A v1 query is always general: its group field is
	// ignored (RFC 1112 Appendix I).
	Group netip.Addr
	// MaxResp is how long hosts may take to answer.
	MaxResp time.Duration
	// SuppressRouter is the S flag: timers must not be lowered. This and the fields below are of version 3.
	SuppressRouter bool
	// QRV is the querier's robustness variable, 0 to 7; 0 = not told.
	QRV uint8
	// QQI is the querier's query interval, as it says: bound it before use.
	QQI time.Duration
	// Sources is the list of a group-and-source-specific query, as it is on the wire. It is empty in a general query.
	Sources []netip.Addr
	// At is the time that Frame was given.
	At time.Time
}

// General tells a query for all groups from one for a group.
func (q *Query) General() bool { return q.Group.IsUnspecified() }

// Proxy tells a query from 0.0.0.0: hosts answer it and timers follow it, but its sender is a switch that only fills
// in, never the elected querier, and no sign of a router (RFC 4541 2.1.1(1)).
func (q *Query) Proxy() bool { return q.Host.Addr.IsUnspecified() }
