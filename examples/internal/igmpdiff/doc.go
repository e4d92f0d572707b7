// Package igmpdiff compares package igmp with gopacket, frame by frame: where both accept a frame they must say the same
// of it, and where one alone does there must be a reason that is known. It holds tests only, here because gopacket is no
// dependency of the module that it judges.
//
// # Known differences
//
// Seen in gopacket v1.7.7; a test shows each of them, and fails when one is gone. gopacket alone accepts
//
//   - a wrong IPv4 header checksum, and a wrong IGMP checksum: it verifies none
//   - a v3 report whose records do not fit, or of under 8 bytes, and a v3 query whose sources do not fit: the error is
//     lost, and what fitted is there
//   - an IPv4 total length of 0 (taken for that of the frame) or past the end (marked as truncated)
//   - an IPv4 header with another version than 4
//   - more than two VLAN tags
//   - IPv4 under the EtherType 0xffff
//
// Package igmp alone accepts every IGMP type but those of memberships, as *igmp.Other. Both accept, but gopacket says
// something else of
//
//   - times whose code is over 127 in a v3 query: exponent and mantissa are taken for each other, in 8 bits
//   - times whose code is over 127 in a v2 query: they are read by version 3's rule
//   - the querier's query interval, read in tenths of a second
//   - the time to answer a v1 query: 0, not 10 s
//   - the version of a v3 message: 0
package igmpdiff
