package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"

	"github.com/ofmcast/ofmcast/examples/internal/capture"
	"github.com/ofmcast/ofmcast/igmp"
)

// reader makes packets of frames.
type reader struct{ decoder igmp.Decoder }

// read says what a frame holds, and whether that is IGMP, as far as it was captured.
func (r *reader) read(n int, f capture.Frame) (*packet, bool) {
	p := &packet{N: n, Time: timeFormat(f.At), at: f.At}
	l := readLink(f.Link, f.Data)
	p.VLANs, p.EthSrc = l.vlans, l.src
	switch {
	case l.unknown:
		p.Error, p.unread = fmt.Sprintf("link type %v is not known", f.Link), true
		return p, false
	case !l.whole:
		p.Error = "frame ends in the link header"
		return p, false
	case l.etherType != etherTypeIPv4:
		p.Error = fmt.Sprintf("not IGMP: EtherType 0x%04x", l.etherType)
		return p, false
	}
	isIGMP := r.readIPv4(p, l.rest)
	if missing := f.Len - len(f.Data); missing > 0 && isIGMP && p.Error != "" {
		p.Error = fmt.Sprintf("cut by the capture after %d of %d bytes", len(f.Data), f.Len)
	}
	return p, isIGMP
}

// The IPv4 header (RFC 791 3.1).
const (
	offTotal    = 2
	offTTL      = 8
	offProtocol = 9
	offSrc      = 12
	offDst      = 16
	ipHeader    = 20

	protocolIGMP = 2
)

// readIPv4 reads a packet, and says whether it is IGMP. Package igmp judges it; what it does not
// accept is read as far as it goes.
func (r *reader) readIPv4(p *packet, b []byte) bool {
	p.readHeader(b)
	if len(b) <= offProtocol {
		p.Error = "packet ends in the IPv4 header"
		return false
	}
	v, err := r.decoder.Packet(b)
	if v.Layer >= igmp.LayerIPv4 {
		alert := v.RouterAlert
		p.RouterAlert = &alert
	}
	switch {
	case b[offProtocol] != protocolIGMP:
		p.Error = fmt.Sprintf("not IGMP: IP protocol %d", b[offProtocol])
		return false
	case errors.Is(err, igmp.ErrChecksum) && v.Layer == igmp.LayerIGMP:
		// Everything could be read, and there is a key for it.
	case err != nil:
		p.Error = err.Error()
	}
	switch {
	case v.Layer == igmp.LayerIGMP:
		p.fill(v)
	case v.Layer == igmp.LayerIPv4 && !v.Fragment:
		p.salvage(payload(b))
	}
	return true
}

// readHeader reads what is there of an IPv4 header.
func (p *packet) readHeader(b []byte) {
	if len(b) > offTTL {
		ttl := int(b[offTTL])
		p.TTL = &ttl
	}
	if len(b) >= offDst {
		p.Src = netip.AddrFrom4([4]byte(b[offSrc:]))
	}
	if len(b) >= ipHeader {
		p.Dst = netip.AddrFrom4([4]byte(b[offDst:]))
	}
}

// payload returns what is there of a packet's payload, and how long it says it is. The header is
// whole. A total length of 0, which is what captures on the sending machine have of a packet that
// the network card is going to cut up, stands for all that is there.
func payload(b []byte) (there []byte, announced int) {
	header, total := int(b[0]&0x0f)*4, int(binary.BigEndian.Uint16(b[offTotal:]))
	if total == 0 {
		total = len(b)
	}
	if total < header {
		return nil, 0
	}
	return b[header:min(total, len(b))], total - header
}
