package igmp

import (
	"encoding/binary"
	"net/netip"
	"time"
)

const (
	addrLen      = 4
	auxWord      = 4 // RFC 9776 4.2.7: auxiliary data counts in 32-bit words
	minMessage   = 4 // type, code, checksum: a whole router solicitation
	groupMessage = 8 // a v1/v2 message, and the header of a v3 report
	queryV3      = 12
	recordHeader = 8

	offCode       = 1
	offChecksum   = 2
	offGroup      = 4
	offNumRecords = 6
	offFlags      = 8 // of a v3 query: reserved(4), S, QRV(3)
	offQQIC       = 9
	offNumSources = 10

	flagSuppress = 0x08
	maskQRV      = 0x07

	maskSizes = 0x00ffffff // of a record's first word: auxiliary words, number of sources

	maxMessage = ipMaxPacket - ipHeader
)

// readMessage reads one IGMP message, which the caller has made the View's payload. Lengths come first, then the
// checksum over all of p, then what the message says; a wrong checksum is reported in preference to lists that do not
// fit.
func (v *View) readMessage(p []byte) error {
	if err := v.readType(p); err != nil {
		return err
	}
	err := v.readBody(p)
	if err == nil {
		v.Layer = LayerIGMP
	}
	v.Checksum = ChecksumGood
	if onesSum(p) != 0xffff {
		v.Checksum = ChecksumBad
		return ErrChecksum
	}
	return err
}

// readType checks the length that the type asks for.
func (v *View) readType(p []byte) error {
	if len(p) == 0 {
		return ErrTooShort
	}
	v.Type = Type(p[0])
	switch {
	case len(p) < minMessage, len(p) < groupMessage && v.Type.membership():
		return ErrTooShort
	case v.Type == TypeQuery && len(p) > groupMessage && len(p) < queryV3:
		return ErrQueryLength
	case len(p) > maxMessage:
		return ErrTooLong
	}
	return nil
}

// readBody reads what the type has behind the checksum. v1/v2 reports and leaves may be longer than 8 bytes; the rest
// is for the checksum only (RFC 2236 2.5).
func (v *View) readBody(p []byte) error {
	switch v.Type {
	case TypeQuery:
		return v.readQuery(p)
	case TypeReportV3:
		return v.readRecords(p)
	case TypeReportV1:
		v.Version = 1
		v.Group = netip.AddrFrom4([addrLen]byte(p[offGroup:]))
	case TypeReportV2, TypeLeave:
		v.Version = 2
		v.Group = netip.AddrFrom4([addrLen]byte(p[offGroup:]))
	}
	return nil
}

// readQuery tells the version by length and code (RFC 9776 7.1) and reads the times by that: a code has a
// floating-point form in v3 only.
func (v *View) readQuery(p []byte) error {
	v.Group = netip.AddrFrom4([addrLen]byte(p[offGroup:]))
	code := p[offCode]
	switch {
	case len(p) >= queryV3:
		return v.readQueryV3(p)
	case code == 0:
		v.Version = 1
		v.MaxResp = maxRespV1
	default:
		v.Version = 2
		v.MaxResp = time.Duration(code) * tenth
	}
	return nil
}

// readQueryV3 ignores the reserved bits (RFC 9776 4.1.4) and what follows the last source (4.1.10).
func (v *View) readQueryV3(p []byte) error {
	v.Version = 3
	v.MaxResp = Code(p[offCode]).MaxResp()
	v.SuppressRouter = p[offFlags]&flagSuppress != 0
	v.QRV = p[offFlags] & maskQRV
	v.QQI = Code(p[offQQIC]).QQI()
	n := int(binary.BigEndian.Uint16(p[offNumSources:]))
	if n*addrLen > len(p)-queryV3 {
		return ErrSources
	}
	v.count = n
	v.list = p[queryV3 : queryV3+n*addrLen]
	return nil
}

// readRecords checks that every announced record is there whole, so that no part of a broken report is used. What
// follows the last record is ignored (RFC 9776 4.2.12).
func (v *View) readRecords(p []byte) error {
	v.Version = 3
	n := int(binary.BigEndian.Uint16(p[offNumRecords:]))
	end := groupMessage
	for range n {
		if len(p)-end < recordHeader {
			return ErrRecords
		}
		head := binary.BigEndian.Uint32(p[end:])
		if end += recordHeader; head&maskSizes == 0 {
			continue // the usual join: the next record is known to begin here before this one is read
		}
		if end += recordSize(head) - recordHeader; end > len(p) {
			return ErrRecords
		}
	}
	v.count = n
	v.list = p[groupMessage:end]
	return nil
}

// recordSize is the length of a record, by the first word of its header: type, auxiliary words, number of sources.
func recordSize(head uint32) int {
	return recordHeader + int(head&0xffff)*addrLen + int(head>>16&0xff)*auxWord
}
