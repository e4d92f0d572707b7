// Package capture reads Ethernet frames from pcap and pcapng files, plain or gzip'd.
package capture

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
)

// ErrNotEthernet is returned for a capture whose frames are of another link type.
var ErrNotEthernet = errors.New("capture: not an Ethernet capture")

// Frame is one captured frame.
type Frame struct {
	At   time.Time
	Data []byte // the consumer's to keep
}

// Reader hands out the frames of one file in the file's order.
type Reader struct {
	read    func() ([]byte, gopacket.CaptureInfo, error)
	skipped int
}

// NewReader reads the file's header from r.
func NewReader(r io.Reader) (*Reader, error) {
	plain, err := gunzip(r)
	if err != nil {
		return nil, fmt.Errorf("capture: %w", err)
	}
	magic, err := plain.Peek(4)
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("capture: too short for a capture file: %w", io.ErrUnexpectedEOF)
	}
	if err != nil {
		return nil, fmt.Errorf("capture: %w", err)
	}
	if bytes.Equal(magic, []byte{0x0a, 0x0d, 0x0d, 0x0a}) { // pcapng: the section header's block type
		return newNg(plain)
	}
	return newClassic(plain)
}

func gunzip(r io.Reader) (*bufio.Reader, error) {
	br := bufio.NewReader(r)
	if magic, _ := br.Peek(2); !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return br, nil
	}
	unzipped, err := gzip.NewReader(br)
	if err != nil {
		return nil, err
	}
	return bufio.NewReader(unzipped), nil
}

func newClassic(r io.Reader) (*Reader, error) {
	pcap, err := pcapgo.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("capture: %w", err)
	}
	if pcap.LinkType() != layers.LinkTypeEthernet {
		return nil, fmt.Errorf("%w: link type %v", ErrNotEthernet, pcap.LinkType())
	}
	return &Reader{read: pcap.ReadPacketData}, nil
}

// newNg reads pcapng. A file may have interfaces of several link types; the frames of those that are
// not Ethernet are skipped, unless there are no others.
func newNg(r io.Reader) (*Reader, error) {
	ng, err := pcapgo.NewNgReader(r, pcapgo.NgReaderOptions{WantMixedLinkType: true, SkipUnknownVersion: true})
	if err != nil {
		return nil, fmt.Errorf("capture: %w", err)
	}
	out := &Reader{}
	var other any // the link type of a frame that was skipped
	ethernet := false
	out.read = func() ([]byte, gopacket.CaptureInfo, error) {
		for {
			data, info, err := ng.ReadPacketData()
			switch {
			case errors.Is(err, io.EOF) && !ethernet && other != nil:
				return nil, info, fmt.Errorf("%w: link type %v", ErrNotEthernet, other)
			case err == nil && len(info.AncillaryData) > 0 && info.AncillaryData[0] != layers.LinkTypeEthernet:
				other = info.AncillaryData[0]
				out.skipped++
				continue
			}
			ethernet = true
			return data, info, err
		}
	}
	return out, nil
}

// Skipped is how many frames were left out so far, because they are not Ethernet.
func (r *Reader) Skipped() int { return r.skipped }

// Frames yields every frame. A fault ends it and is yielded last, with an empty frame; a file that
// was cut short is such a fault, io.ErrUnexpectedEOF, after all whole frames. A frame without a time,
// as pcapng's simple packet blocks are, gets that of the one before it.
func (r *Reader) Frames() iter.Seq2[Frame, error] {
	return func(yield func(Frame, error) bool) {
		last := time.Unix(0, 0).UTC()
		for n := 1; ; n++ {
			data, info, err := r.read()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(Frame{}, fmt.Errorf("frame %d: %w", n, err))
				return
			}
			if !info.Timestamp.IsZero() {
				last = info.Timestamp
			}
			if !yield(Frame{At: last, Data: data}, nil) {
				return
			}
		}
	}
}
