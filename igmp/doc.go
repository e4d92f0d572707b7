// Package igmp is a codec for IGMP versions 1, 2 and 3: between bytes and values, and nothing else. It keeps no state,
// does no I/O, starts no goroutine, writes no log; igmp/snooper and igmp/querier are built on it.
//
// # The model
//
// Hosts tell routers which IPv4 multicast groups they want. A router asks with a query: a general one for all groups,
// or a specific one for a group, or for some sources of a group. A host answers, and announces changes, with a report.
// In versions 1 and 2 a report names one group, wanted from any source, and version 2 has a leave beside it. A version
// 3 report is a list of records; each names a group and what the host now wants of it as a filter over sources: only
// these (include) or all but these (exclude). So a v3 join is "change to exclude mode, no sources", a v3 leave "change
// to include mode, no sources".
//
// A message is the payload of an IPv4 packet of protocol 2. The same protocol number carries older router protocols and
// router discovery; they are kept raw (Other), not refused.
//
// # Two ways in, one way out
//
//	payload ─────────────────────→ Parse ───→ Message  owns its memory
//	                                 ↑ View.Message      │
//	frame, packet, payload ──→ Decoder ──→ View          │ MarshalBinary, AppendBinary
//	                              points into the input  │ AppendPacket, AppendFrame
//	payload, packet, frame ←─────────────────────────────┘ SplitReport, SplitQuery before, if it is large
//
// [Parse] turns a payload into a [Message], a plain Go value that owns its memory. A [Decoder] turns an Ethernet frame,
// an IPv4 packet or a payload into a [View], which points into the input and costs no allocation, however many records
// and sources are visited; [View.Message] and [View.Clone] copy out of it. Both read by the same code. Messages encode
// themselves; [AppendFrame] and [AppendPacket] put headers around one. [SplitReport] and [SplitQuery] cut what is too
// large for a link.
//
// Take the Decoder for what comes in by the thousand, and Parse for what is kept, compared or printed. All bytes are in
// network order; addresses are [netip.Addr] and always IPv4, durations are time.Duration, and what a field cannot
// express is said where it is encoded.
//
// # Memory and concurrency
//
// What Parse and UnmarshalBinary return shares nothing with the input. A View and all that it yields are valid until the
// next call of its Decoder or the first change of the input; a Decoder belongs to one goroutine at a time. Messages are
// plain values: any number of goroutines may read one while nobody writes it, and encoding one only reads. Encoders
// append to the caller's slice and allocate nothing where it has room.
//
// # What is checked here, and what is not
//
// This package checks form: lengths, both checksums, counts, options, tags. Whether to believe a well-formed message is
// policy and is left to its users, who find the facts in the View: TTL, Router Alert, source and destination, whether
// the group is a multicast group. Liberal in, strict out:
//
//   - A query of 8 bytes with code 0 is version 1, another of 8 bytes version 2, one of 12 or more version 3; any
//     other length is an error (RFC 9776 7.1).
//   - A v1 query means 10 s to answer (RFC 2236 4), a v2 one plain tenths of a second (RFC 2236 2.2), a v3 one the
//     floating-point form of type Code (RFC 9776 4.1.1, 4.1.7).
//   - The checksum covers the whole IP payload (RFC 9776 4.1.2), also what is ignored: bytes behind the 8 of a v1/v2
//     message (RFC 2236 2.5), behind a query's sources (RFC 9776 4.1.10), behind a report's records (4.2.12). A
//     checksum field of zero is not "none".
//   - Auxiliary data is skipped and never sent (RFC 9776 4.2.11). Reserved bits and flags are ignored and sent as
//     zero (4.1.4, 4.2.1, 4.2.3). A record of unknown type spoils no other (4.2.13).
//   - A report whose records do not all fit into it is an error as a whole, as is a query with its sources.
//   - The IPv4 total length decides where a message ends, so Ethernet padding is never read. Fragments are refused.
//   - Frames carry Router Alert, TTL 1 and internetwork control precedence (RFC 9776 4, RFC 2236 2).
//   - What RFC 4541 2.1.1 asks of a snooping switch before it uses a packet, the checksums, is all done here.
//
// CONFORMANCE.md beside this file goes through the standards clause by clause, and names the test of each.
//
// # Errors
//
// A Decoder refuses with bare sentinels and does not allocate for it; everything else returns [*Error] around the same
// sentinels. errors.Is works with both. A View comes with every refusal and says how far the reading came. What failed
// to encode has written nothing: the slice comes back as it was.
//
// # Limits and security
//
// Whatever the input, reading it costs time in proportion to its length, no panic, and in a Decoder no memory; a count
// on the wire never sizes an allocation before the bytes that it promises are seen to be there. There is no limit on
// records or sources but the packet's own. Nothing is counted here: each refusal has an error of its own, for the
// caller's counters.
//
// IGMP has no authentication. Whoever is on a link can say anything in anybody's name, and a message that passes all
// checks of this package is well-formed and no more.
//
// # What it does not do
//
// It has no sockets (igmp/igmpconn has), keeps no memberships (package mcast does), decides on nothing (igmp/snooper
// does) and asks nobody (igmp/querier does). There is no MLD, and no reassembly of fragments. What is inside DVMRP, PIM
// version 1, traceroute and router discovery messages is left to others.
package igmp
