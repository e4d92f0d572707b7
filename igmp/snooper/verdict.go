package snooper

import (
	"strconv"

	"github.com/ofmcast/ofmcast/igmp"
)

// Verdict is what became of a frame, or of one record in it. The names begin with what was done: Accepted, it was used;
// Ignored, it is well-formed but not for us to use, or not allowed by Config; Refused, it is broken and must not be
// used or forwarded (RFC 4541 2.1.1(5)). Zero is invalid. Each frame has exactly one.
type Verdict uint8

// Verdicts on frames. Those up to IgnoredSourceLimit are verdicts on single records as well. A frame with records has
// the verdict of one of them: AcceptedReport if one has it, else AcceptedAsLeave, else that of the first that Validator
// or Limits held back, else that of the first.
const (
	// AcceptedReport: a record was taken, or a frame with at least one such record.
	AcceptedReport Verdict = iota + 1
	// AcceptedAsLeave: Config.Validator turned a record into a leave.
	AcceptedAsLeave
	// IgnoredLinkLocal: a group in 224.0.0.0/24, which is never pruned and so never tracked (RFC 4541 2.1.2(2)).
	IgnoredLinkLocal
	// IgnoredNotMulticast: a group that is not a multicast address; also a query for one.
	IgnoredNotMulticast
	// IgnoredSSM: it asks for any source of a group in Config.SSM (RFC 4604 2.2).
	IgnoredSSM
	// IgnoredRecordType: a record of unknown type (RFC 9776 4.2.13).
	IgnoredRecordType
	// IgnoredByValidator: Config.Validator dropped it.
	IgnoredByValidator
	// IgnoredRecordLimit: a record behind the first Limits.RecordsPerReport of its report.
	IgnoredRecordLimit
	// IgnoredSourceLimit: a record with more than Limits.SourcesPerRecord.
	IgnoredSourceLimit

	// AcceptedEmpty: a v3 report without records, which says nothing.
	AcceptedEmpty
	// AcceptedQuery: a query; Result.Query has it.
	AcceptedQuery
	// AcceptedRouter: a PIM, DVMRP or router discovery message: a sign of a router, or of its end.
	AcceptedRouter
	// AcceptedOther: IGMP of a type that means nothing to a snooper, known or not; it is flooded (RFC 4541 2.1.1(3)).
	AcceptedOther

	// IgnoredMemberQuery: a query from a port whose role is Member.
	IgnoredMemberQuery
	// IgnoredMemberRouter: another sign of a router from a port whose role is Member.
	IgnoredMemberRouter
	// IgnoredTTL: see Checks.TTL.
	IgnoredTTL
	// IgnoredNoRouterAlert: see Checks.RouterAlert.
	IgnoredNoRouterAlert
	// IgnoredDestination: see Checks.Destination.
	IgnoredDestination
	// IgnoredSource: see Checks.Source.
	IgnoredSource
	// IgnoredUnspecified: see Checks.Unspecified.
	IgnoredUnspecified
	// IgnoredSubnet: see Checks.Subnets.
	IgnoredSubnet
	// IgnoredSenderMAC: see Checks.SenderMAC.
	IgnoredSenderMAC
	// IgnoredVLAN: see Checks.VLAN.
	IgnoredVLAN
	// IgnoredRate: its port sends more than Limits.FramesPerSecond and FrameBurst.
	IgnoredRate
	// IgnoredPortLimit: more ports send than Limits.Ports.
	IgnoredPortLimit
	// IgnoredNotIPv4: another protocol than IPv4, or more tags than are looked through.
	IgnoredNotIPv4
	// IgnoredNotIGMP: IPv4 without anything for a snooper in it.
	IgnoredNotIGMP

	// RefusedFrame: the frame ends in its Ethernet header.
	RefusedFrame
	// RefusedIPHeader: the IPv4 header or its options are malformed.
	RefusedIPHeader
	// RefusedIPLength: the IPv4 total length is wrong.
	RefusedIPLength
	// RefusedIPChecksum: the IPv4 header checksum is wrong.
	RefusedIPChecksum
	// RefusedFragment: IGMP is never fragmented.
	RefusedFragment
	// RefusedLength: a message too short for its type, or a query of no version's length.
	RefusedLength
	// RefusedChecksum: the checksum of the IGMP or PIM message is wrong.
	RefusedChecksum
	// RefusedLists: more records or sources are announced than there are; none of them is used.
	RefusedLists
	// RefusedMalformed: refused by the codec for any other reason.
	RefusedMalformed

	numVerdicts
)

var verdictNames = [numVerdicts]string{
	AcceptedReport:       "accepted report",
	AcceptedAsLeave:      "accepted as a leave",
	IgnoredLinkLocal:     "ignored: link-local group",
	IgnoredNotMulticast:  "ignored: not a multicast group",
	IgnoredSSM:           "ignored: any source of a source-specific group",
	IgnoredRecordType:    "ignored: unknown record type",
	IgnoredByValidator:   "ignored: not allowed",
	IgnoredRecordLimit:   "ignored: too many records",
	IgnoredSourceLimit:   "ignored: too many sources",
	AcceptedEmpty:        "accepted report without records",
	AcceptedQuery:        "accepted query",
	AcceptedRouter:       "accepted router message",
	AcceptedOther:        "accepted other IGMP",
	IgnoredMemberQuery:   "ignored: query on a member port",
	IgnoredMemberRouter:  "ignored: router message on a member port",
	IgnoredTTL:           "ignored: TTL is not 1",
	IgnoredNoRouterAlert: "ignored: no Router Alert",
	IgnoredDestination:   "ignored: wrong destination",
	IgnoredSource:        "ignored: impossible source",
	IgnoredUnspecified:   "ignored: from 0.0.0.0",
	IgnoredSubnet:        "ignored: from another subnet",
	IgnoredSenderMAC:     "ignored: sender's MAC is a group's",
	IgnoredVLAN:          "ignored: reserved VLAN",
	IgnoredRate:          "ignored: too many frames from the port",
	IgnoredPortLimit:     "ignored: too many ports",
	IgnoredNotIPv4:       "ignored: not IPv4",
	IgnoredNotIGMP:       "ignored: not IGMP",
	RefusedFrame:         "refused: frame too short",
	RefusedIPHeader:      "refused: IPv4 header",
	RefusedIPLength:      "refused: IPv4 length",
	RefusedIPChecksum:    "refused: IPv4 checksum",
	RefusedFragment:      "refused: fragment",
	RefusedLength:        "refused: message length",
	RefusedChecksum:      "refused: message checksum",
	RefusedLists:         "refused: records or sources past the end",
	RefusedMalformed:     "refused: malformed",
}

// String returns the verdict in words, Verdict(0x..) for an unknown one.
func (v Verdict) String() string {
	if v == 0 || v >= numVerdicts {
		return "Verdict(0x" + strconv.FormatUint(uint64(v)>>4, 16) + strconv.FormatUint(uint64(v)&0xf, 16) + ")"
	}
	return verdictNames[v]
}

// refusal returns the verdict for a Decoder's error. The Decoder returns its sentinels bare.
func refusal(err error) Verdict {
	switch err {
	case igmp.ErrNotIPv4, igmp.ErrVLANDepth:
		return IgnoredNotIPv4
	case igmp.ErrNotIGMP:
		return IgnoredNotIGMP
	case igmp.ErrFrameShort:
		return RefusedFrame
	case igmp.ErrIPHeader, igmp.ErrIPOptions:
		return RefusedIPHeader
	case igmp.ErrIPLength:
		return RefusedIPLength
	case igmp.ErrIPChecksum:
		return RefusedIPChecksum
	case igmp.ErrFragment:
		return RefusedFragment
	case igmp.ErrTooShort, igmp.ErrQueryLength:
		return RefusedLength
	case igmp.ErrChecksum:
		return RefusedChecksum
	case igmp.ErrRecords, igmp.ErrSources:
		return RefusedLists
	}
	return RefusedMalformed
}
