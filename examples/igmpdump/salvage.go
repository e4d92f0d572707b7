package main

import (
	"encoding/binary"
	"net/netip"
	"time"

	"github.com/ofmcast/ofmcast/igmp"
)

// The layout of the messages (RFC 9776 4.1, 4.2).
const (
	offCode     = 1
	checksumEnd = 4
	offGroup    = 4
	groupEnd    = 8 // of a version 1 or 2 message, and of a report's header
	offCount    = 6 // of records
	offFlags    = 8
	offQQIC     = 9
	offSources  = 10 // their number
	queryEnd    = 12
	recordEnd   = 8
	addrLen     = 4

	tenth     = 100 * time.Millisecond
	maxRespV1 = 10 * time.Second // what the 0 of a version 1 query means (RFC 2236 4)
)

// salvage reads what there is of a message that package igmp refuses as a whole: b is its beginning,
// and it says that it has announced bytes. Lists end where the bytes do; a record or source of which
// not even the header is there is left out.
func (p *packet) salvage(b []byte, announced int) {
	if len(b) == 0 {
		return
	}
	p.setType(igmp.Type(b[0]))
	if len(b) == announced && announced >= checksumEnd {
		ok := sum(b) == 0xffff
		p.ChecksumOK = &ok
	}
	switch igmp.Type(b[0]) {
	case igmp.TypeQuery:
		p.salvageQuery(b, announced)
	case igmp.TypeReportV1:
		p.Version = 1
		p.Group = groupOf(b)
	case igmp.TypeReportV2, igmp.TypeLeave:
		p.Version = 2
		p.Group = groupOf(b)
	case igmp.TypeReportV3:
		p.Version = 3
		p.salvageRecords(b)
	}
}

// groupOf is the group of a message that has one behind its first four bytes.
func groupOf(b []byte) netip.Addr {
	if len(b) < groupEnd {
		return netip.Addr{}
	}
	return netip.AddrFrom4([addrLen]byte(b[offGroup:]))
}

// salvageQuery tells the version by the announced length (RFC 9776 7.1); with a wrong one there is
// none, and no meaning of the code.
func (p *packet) salvageQuery(b []byte, announced int) {
	p.Group = groupOf(b)
	switch {
	case len(b) <= offCode || announced < groupEnd || announced > groupEnd && announced < queryEnd:
	case announced >= queryEnd:
		p.Version = 3
		p.setMaxResp(igmp.Code(b[offCode]).MaxResp())
		if len(b) > offQQIC {
			p.setQuerier(b[offFlags]&0x08 != 0, b[offFlags]&0x07, igmp.Code(b[offQQIC]).QQI())
		}
		if len(b) >= queryEnd {
			p.Sources = addrs(b[queryEnd:], int(binary.BigEndian.Uint16(b[offSources:])))
		}
	case b[offCode] == 0:
		p.Version = 1
		p.setMaxResp(maxRespV1)
	default:
		p.Version = 2
		p.setMaxResp(time.Duration(b[offCode]) * tenth)
	}
}

func (p *packet) salvageRecords(b []byte) {
	if len(b) < groupEnd {
		return
	}
	p.Records = []record{}
	count := int(binary.BigEndian.Uint16(b[offCount:]))
	for b = b[groupEnd:]; len(p.Records) < count && len(b) >= recordEnd; {
		sources, aux := int(binary.BigEndian.Uint16(b[2:])), int(b[1])
		p.Records = append(p.Records, record{
			Type: recordName(igmp.RecordType(b[0])), Group: groupOf(b), Sources: addrs(b[recordEnd:], sources), AuxWords: aux,
		})
		b = b[min(recordEnd+(sources+aux)*addrLen, len(b)):]
	}
}

// addrs reads a list of n addresses, as far as it goes.
func addrs(b []byte, n int) []netip.Addr {
	list := []netip.Addr{}
	for ; len(list) < n && len(b) >= addrLen; b = b[addrLen:] {
		list = append(list, netip.AddrFrom4([addrLen]byte(b)))
	}
	return list
}

// sum is the one's complement sum of RFC 1071: 0xffff over data with its own right checksum.
func sum(b []byte) uint32 {
	var s uint32
	for i, c := range b {
		s += uint32(c) << (8 * (1 - i&1))
	}
	for s > 0xffff {
		s = s>>16 + s&0xffff
	}
	return s
}
