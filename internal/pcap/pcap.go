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

// MaxPacket bounds what one packet may take, whatever the file claims. It is what tcpdump writes at most.
const MaxPacket = 262144

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

// Reader reads packets in the order of the file.
type Reader struct {
	r        io.Reader
	order    binary.ByteOrder
	unit     time.Duration
	linkType uint32
}

const (
	fileHeader   = 24
	packetHeader = 16

	magicMicro = 0xa1b2c3d4
	magicNano  = 0xa1b23c4d
	version    = 2
)

// NewReader reads the file's header. Without a whole one the error matches io.ErrUnexpectedEOF, with one of another
// format ErrFormat.
func NewReader(r io.Reader) (*Reader, error) {
	var h [fileHeader]byte
	if _, err := io.ReadFull(r, h[:]); err != nil {
		return nil, fmt.Errorf("pcap: file header: %w", cut(err))
	}
	p := &Reader{r: r}
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

// LinkType returns what kind of header the packets begin with.
func (p *Reader) LinkType() uint32 { return p.linkType }

// Next returns the next packet, io.EOF after the last. A file that ends inside a packet is io.ErrUnexpectedEOF, a length
// over MaxPacket and a fraction of a second over one are ErrFormat.
func (p *Reader) Next() (Packet, error) {
	var h [packetHeader]byte
	switch _, err := io.ReadFull(p.r, h[:]); {
	case err == io.EOF:
		return Packet{}, io.EOF
	case err != nil:
		return Packet{}, fmt.Errorf("pcap: packet header: %w", err)
	}
	sec, fraction := p.order.Uint32(h[0:]), time.Duration(p.order.Uint32(h[4:]))*p.unit
	captured, length := p.order.Uint32(h[8:]), p.order.Uint32(h[12:])
	if captured > MaxPacket || captured > length || fraction >= time.Second {
		return Packet{}, fmt.Errorf("pcap: packet header: %w", ErrFormat)
	}
	data := make([]byte, captured)
	if _, err := io.ReadFull(p.r, data); err != nil {
		return Packet{}, fmt.Errorf("pcap: packet: %w", cut(err))
	}
	return Packet{Time: time.Unix(int64(sec), int64(fraction)).UTC(), Data: data, Len: int(length)}, nil
}

// ReadAll returns every packet of an Ethernet capture.
func ReadAll(r io.Reader) ([]Packet, error) {
	p, err := NewReader(r)
	if err != nil {
		return nil, err
	}
	if p.LinkType() != LinkTypeEthernet {
		return nil, fmt.Errorf("pcap: link type %d is not Ethernet", p.LinkType())
	}
	var all []Packet
	for {
		packet, err := p.Next()
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
