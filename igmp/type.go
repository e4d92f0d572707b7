package igmp

import "strconv"

// Type is the first byte of an IGMP message. Every value can occur on the wire, so zero is none apart.
type Type uint8

// The message types of RFC 9776 section 4 and, below, those that share IP protocol 2 with them and are decoded as *Other.
const (
	TypeQuery    Type = 0x11 // Membership Query of all versions
	TypeReportV1 Type = 0x12 // RFC 1112 Host Membership Report
	TypeReportV2 Type = 0x16 // RFC 2236 Version 2 Membership Report
	TypeLeave    Type = 0x17 // RFC 2236 Leave Group
	TypeReportV3 Type = 0x22 // RFC 9776 Version 3 Membership Report

	TypeDVMRP               Type = 0x13 // DVMRP, a sign of a router
	TypePIMv1               Type = 0x14 // PIM version 1, a sign of a router
	TypeTraceResponse       Type = 0x1e // multicast traceroute
	TypeTraceQuery          Type = 0x1f // multicast traceroute
	TypeRouterAdvertisement Type = 0x30 // RFC 4286 section 3, a sign of a router
	TypeRouterSolicitation  Type = 0x31 // RFC 4286 section 4; 4 bytes
	TypeRouterTermination   Type = 0x32 // RFC 4286 section 5; 4 bytes
)

// String returns the type's name, Type(0x..) for those without.
func (t Type) String() string {
	switch t {
	case TypeQuery:
		return "query"
	case TypeReportV1:
		return "v1 report"
	case TypeReportV2:
		return "v2 report"
	case TypeLeave:
		return "v2 leave"
	case TypeReportV3:
		return "v3 report"
	case TypeDVMRP:
		return "DVMRP"
	case TypePIMv1:
		return "PIMv1"
	case TypeTraceResponse:
		return "mtrace response"
	case TypeTraceQuery:
		return "mtrace query"
	case TypeRouterAdvertisement:
		return "router advertisement"
	case TypeRouterSolicitation:
		return "router solicitation"
	case TypeRouterTermination:
		return "router termination"
	}
	return unknown("Type", uint8(t))
}

// membership tells the five types that have a Go type of their own from those that become *Other.
func (t Type) membership() bool {
	switch t {
	case TypeQuery, TypeReportV1, TypeReportV2, TypeLeave, TypeReportV3:
		return true
	}
	return false
}

// RecordType says what a group record of a v3 report states (RFC 9776 4.2.13). Zero is invalid.
type RecordType uint8

// The record types under their RFC names.
const (
	IsIn  RecordType = 1 // MODE_IS_INCLUDE: current state, only these sources
	IsEx  RecordType = 2 // MODE_IS_EXCLUDE: current state, all but these sources
	ToIn  RecordType = 3 // CHANGE_TO_INCLUDE_MODE; with no sources, a leave
	ToEx  RecordType = 4 // CHANGE_TO_EXCLUDE_MODE; with no sources, a join
	Allow RecordType = 5 // ALLOW_NEW_SOURCES
	Block RecordType = 6 // BLOCK_OLD_SOURCES
)

// Known tells whether t is one of the six. A record of any other type must be ignored, but not the records beside it
// (RFC 9776 4.2.13): decoding keeps it, so that a reader can show it, and encoding refuses it.
func (t RecordType) Known() bool { return t >= IsIn && t <= Block }

// String returns the RFC's short name (IS_IN), RecordType(0x..) for an unknown one.
func (t RecordType) String() string {
	switch t {
	case IsIn:
		return "IS_IN"
	case IsEx:
		return "IS_EX"
	case ToIn:
		return "TO_IN"
	case ToEx:
		return "TO_EX"
	case Allow:
		return "ALLOW"
	case Block:
		return "BLOCK"
	}
	return unknown("RecordType", uint8(t))
}

func unknown(name string, v uint8) string {
	digits := strconv.FormatUint(uint64(v), 16)
	if v < 0x10 {
		digits = "0" + digits
	}
	return name + "(0x" + digits + ")"
}
