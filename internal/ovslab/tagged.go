package ovslab

import (
	"encoding/binary"
	"net"
	"net/netip"
	"os"
)

// taggedStream writes the packets of a stream as whole frames with a VLAN tag:
// the kernel has no interface for each VLAN here that could put it on.
type taggedStream struct {
	*os.File
	from net.HardwareAddr
	addr netip.Addr
	s    Stream
}

func (h *Host) openTagged(s Stream) (*taggedStream, error) {
	from, err := net.ParseMAC(h.MAC())
	if err != nil {
		return nil, err
	}
	socket, err := h.openSocket(func() (*os.File, error) { return openCapture(h.index) })
	if err != nil {
		return nil, err
	}
	return &taggedStream{File: socket, from: from, addr: h.Addr(), s: s}, nil
}

// Write sends one packet.
func (t *taggedStream) Write(payload []byte) (int, error) {
	if _, err := t.File.Write(t.frame(payload)); err != nil {
		return 0, err
	}
	return len(payload), nil
}

// frame puts Ethernet, the tag, IPv4 and UDP before the payload.
func (t *taggedStream) frame(payload []byte) []byte {
	const ip, udp = 20, 8
	to := t.s.To.As4()
	f := []byte{0x01, 0x00, 0x5e, to[1] & 0x7f, to[2], to[3]} // RFC 1112 section 6.4
	f = append(f, t.from...)
	f = binary.BigEndian.AppendUint16(f, 0x8100)
	f = binary.BigEndian.AppendUint16(f, t.s.VLAN)
	f = append(f, 0x08, 0x00, 0x45, 0)
	at := len(f) - 2
	f = binary.BigEndian.AppendUint16(f, uint16(ip+udp+len(payload)))
	f = append(f, 0, 0, 0x40, 0, byte(t.s.TTL), 17, 0, 0)
	f = append(f, t.addr.AsSlice()...)
	f = append(f, to[:]...)
	binary.BigEndian.PutUint16(f[at+10:], checksum(f[at:at+ip]))
	for _, v := range []int{streamPort, streamPort, udp + len(payload), 0} { // without a checksum: RFC 768
		f = binary.BigEndian.AppendUint16(f, uint16(v))
	}
	return append(f, payload...)
}

// checksum is that of an IPv4 header (RFC 1071).
func checksum(b []byte) uint16 {
	var sum uint32
	for ; len(b) >= 2; b = b[2:] {
		sum += uint32(binary.BigEndian.Uint16(b))
	}
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	return ^uint16(sum)
}
