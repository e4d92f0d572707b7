// Package pcap reads classic pcap files, for the tests of this module. It knows both byte orders and both time
// resolutions, and gives up at the first thing that does not fit: a test must not pass on half a capture.
package pcap

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"
)

// LinkTypeEthernet is the link type of Ethernet frames without FCS.
const LinkTypeEthernet = 1

// maxPacket bounds what one packet may take, whatever the file claims. It is what tcpdump writes at most.
const maxPacket = 262144

// ErrFormat: the input is no classic pcap file, or not one throughout.
var ErrFormat = errors.New("not a classic pcap file")

// Packet is one captured packet.
type Packet struct {
	// Time is when it was captured, UTC.
	Time time.Time
	// Data is what was captured of it. It is the reader's no longer.
	Data []byte
	// Len is its length on the wire; more than len(Data) if it was cut.
	Len int
}

// reader reads packets in the order of the file.
type reader struct {
	r        io.Reader
	order    binary.ByteOrder
	unit     time.Duration
	linkType uint32 // what kind of header the packets begin with
}

const (
	fileHeader   = 24
	packetHeader = 16

	magicMicro = 0xa1b2c3d4
	magicNano  = 0xa1b23c4d
	version    = 2
)

// newReader reads the file's header. Without a whole one the error matches io.ErrUnexpectedEOF, with one of another
// format ErrFormat.
func newReader(r io.Reader) (*reader, error) {
	var h [fileHeader]byte
	if _, err := io.ReadFull(r, h[:]); err != nil {
		return nil, fmt.Errorf("pcap: file header: %w", cut(err))
	}
	p := &reader{r: r}
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		switch order.Uint32(h[:]) {
		case magicMicro:
			p.order, p.unit = order, time.Microsecond
		case magicNano:
			p.order, p.unit = order, time.Nanosecond
		}
	}
	if p.order == nil || p.order.Uint16(h[4:]) != version {
		return nil, fmt.Errorf("pcap: file header: %w", ErrFormat)
	}
	// The upper half may hold FCS information.
	p.linkType = p.order.Uint32(h[20:]) & 0xffff
	return p, nil
}

// next returns the next packet, io.EOF after the last. A file that ends inside a packet is io.ErrUnexpectedEOF, a length
// over maxPacket and a fraction of a second over one are ErrFormat.
func (p *reader) next() (Packet, error) {
	var h [packetHeader]byte
	switch _, err := io.ReadFull(p.r, h[:]); {
	case err == io.EOF:
		return Packet{}, io.EOF
	case err != nil:
		return Packet{}, fmt.Errorf("pcap: packet header: %w", err)
	}
	sec, fraction := p.order.Uint32(h[0:]), time.Duration(p.order.Uint32(h[4:]))*p.unit
	captured, length := p.order.Uint32(h[8:]), p.order.Uint32(h[12:])
	if captured > maxPacket || captured > length || fraction >= time.Second {
		return Packet{}, fmt.Errorf("pcap: packet header: %w", ErrFormat)
	}
	data := make([]byte, captured)
	if _, err := io.ReadFull(p.r, data); err != nil {
		return Packet{}, fmt.Errorf("pcap: packet: %w", cut(err))
	}
	return Packet{Time: time.Unix(int64(sec), int64(fraction)).UTC(), Data: data, Len: int(length)}, nil
}

// ReadAll returns every packet of an Ethernet capture. A file that ends too early is io.ErrUnexpectedEOF, what fits no
// format ErrFormat.
func ReadAll(r io.Reader) ([]Packet, error) {
	p, err := newReader(r)
	if err != nil {
		return nil, err
	}
	if p.linkType != LinkTypeEthernet {
		return nil, fmt.Errorf("pcap: link type %d is not Ethernet", p.linkType)
	}
	var all []Packet
	for {
		packet, err := p.next()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("packet %d: %w", len(all)+1, err)
		}
		all = append(all, packet)
	}
}

// cut makes the end of the file where more was announced an unexpected one.
func cut(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
