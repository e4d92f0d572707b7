package igmp

import (
	"encoding/binary"
	"iter"
	"net/netip"
	"slices"
	"time"
)

// View is one decoded frame. It points into its Decoder and into the frame, and is valid until the Decoder's next call
// or the first change of the frame; Clone and Message give copies that own their memory.
//
// A View comes with every error too, filled in up to the fault (Layer says how far), for counters, dumps and the
// PIM hellos behind ErrNotIGMP: there the header has been checked and can be relied on. A wrong checksum does not stop
// the reading. Nothing else in a View that came with an error may be acted upon.
type View struct {
	// Layer is the last layer that was read whole.
	Layer Layer

	// EthDst and EthSrc are the Ethernet addresses.
	EthDst, EthSrc MAC
	// EtherType is the type behind the tags; under 0x600 it is an IEEE 802.3 length.
	EtherType uint16

	// Src and Dst are the addresses of the IPv4 header.
	Src, Dst netip.Addr
	// TTL, TOS and Protocol are the fields of that name; TOS is the whole byte.
	TTL, TOS, Protocol uint8
	// ID is the identification field.
	ID uint16
	// RouterAlert: the header has the option of RFC 2113 (of any value; only 0 is defined).
	RouterAlert bool
	// Fragment: the packet is a piece of a larger one.
	Fragment bool
	// IPChecksum is the state of the IPv4 header checksum.
	IPChecksum ChecksumState

	// Type is the message's type byte.
	Type Type
	// Version is the IGMP version of a query, report or leave, 1 to 3; 0 for every other type.
	Version uint8
	// Group is the group of a query (0.0.0.0 in a general one), v1/v2 report or leave. A v3 report has its groups in
	// Records and the zero Addr here.
	Group netip.Addr
	// MaxResp is how long hosts may take to answer a query. The 0 of a v1 query is 10 s.
	MaxResp time.Duration
	// SuppressRouter is the S flag of a v3 query.
	SuppressRouter bool
	// QRV is the querier's robustness variable in a v3 query, 0 to 7; 0 = not told.
	QRV uint8
	// QQI is the querier's query interval in a v3 query.
	QQI time.Duration
	// Checksum is the state of the IGMP checksum.
	Checksum ChecksumState

	tags    [maxVLANs]VLAN
	numTags int
	payload []byte // of the IPv4 packet
	list    []byte // within payload: a query's sources, a report's records
	count   int    // of sources or records
}

// VLANs returns the frame's tags, outermost first, none to two. The slice points into the View.
func (v *View) VLANs() []VLAN { return v.tags[:v.numTags:v.numTags] }

// Payload returns the bytes behind the IPv4 header, by the header's own length: the IGMP message, or with ErrNotIGMP
// that of another protocol. They alias the frame.
func (v *View) Payload() []byte { return v.payload }

// NumSources returns the number of a query's sources.
func (v *View) NumSources() int {
	if v.Type != TypeQuery {
		return 0
	}
	return v.count
}

// Sources yields the sources of a v3 query, in the order of the wire, repetitions included.
func (v *View) Sources() iter.Seq[netip.Addr] {
	return func(yield func(netip.Addr) bool) {
		if v.Type == TypeQuery {
			eachAddr(v.list, yield)
		}
	}
}

// NumRecords returns the number of a v3 report's records.
func (v *View) NumRecords() int {
	if v.Type != TypeReportV3 {
		return 0
	}
	return v.count
}

// Records yields the group records of a v3 report, in the order of the wire. Records of unknown types are among them;
// see RecordType.Known.
func (v *View) Records() iter.Seq[RecordView] {
	return func(yield func(RecordView) bool) {
		if v.Type == TypeReportV3 {
			eachRecord(v.list, yield)
		}
	}
}

// Clone returns a copy of the View, payload included, that stays valid.
func (v *View) Clone() *View {
	c := *v
	c.payload = slices.Clone(v.payload)
	if v.list != nil {
		// The list lies in the payload: capacities count back from a common end of the underlying array.
		start := cap(v.payload) - cap(v.list)
		c.list = c.payload[start : start+len(v.list)]
	}
	return &c
}

// RecordView is one group record of a View, valid as long as that is.
type RecordView struct {
	// Type may be unknown; see RecordType.Known.
	Type RecordType
	// AuxWords is the length of the auxiliary data in 32-bit words. The data is skipped (RFC 9776 4.2.11).
	AuxWords uint8
	// Group is the record's group.
	Group netip.Addr

	sources []byte
}

// NumSources returns the number of the record's sources.
func (r *RecordView) NumSources() int { return len(r.sources) / addrLen }

// Sources yields the record's sources, in the order of the wire, repetitions included.
func (r *RecordView) Sources() iter.Seq[netip.Addr] {
	return func(yield func(netip.Addr) bool) { eachAddr(r.sources, yield) }
}

// AppendSources appends the record's sources to s and returns it.
func (r *RecordView) AppendSources(s []netip.Addr) []netip.Addr { return appendAddrs(s, r.sources) }

func eachAddr(b []byte, yield func(netip.Addr) bool) {
	for ; len(b) >= addrLen; b = b[addrLen:] {
		if !yield(netip.AddrFrom4([addrLen]byte(b))) {
			return
		}
	}
}

func appendAddrs(s []netip.Addr, b []byte) []netip.Addr {
	s = slices.Grow(s, len(b)/addrLen)
	for ; len(b) >= addrLen; b = b[addrLen:] {
		s = append(s, netip.AddrFrom4([addrLen]byte(b)))
	}
	return s
}

// eachRecord walks records whose lengths readRecords has checked.
func eachRecord(b []byte, yield func(RecordView) bool) {
	for len(b) >= recordHeader {
		head := binary.BigEndian.Uint32(b)
		r := RecordView{
			Type:     RecordType(head >> 24),
			AuxWords: uint8(head >> 16),
			Group:    netip.AddrFrom4([addrLen]byte(b[4:])),
		}
		b = b[recordHeader:]
		if head&maskSizes != 0 {
			r.sources = b[:int(head&0xffff)*addrLen]
			b = b[recordSize(head)-recordHeader:]
		}
		if !yield(r) {
			return
		}
	}
}
