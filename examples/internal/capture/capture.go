// Package capture reads frames from pcap and pcapng files, plain or gzip'd.
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

	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
)

// ErrNotEthernet is returned for a capture whose frames are of another link type.
var ErrNotEthernet = errors.New("capture: not an Ethernet capture")

// Frame is one captured frame.
type Frame struct {
	At   time.Time
	Data []byte          // the consumer's to keep
	Len  int             // on the wire; more than len(Data) if the capture has less of it
	Link layers.LinkType // what Data begins with
}

// Reader hands out the frames of one file in the file's order.
type Reader struct {
	read    func() (Frame, error)
	skipped int
}

// NewReader reads the file's header from r. Only Ethernet frames are handed out.
func NewReader(r io.Reader) (*Reader, error) { return newReader(r, false) }

func newReader(r io.Reader, anyLink bool) (*Reader, error) {
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
		return newNg(plain, anyLink)
	}
	return newClassic(plain, anyLink)
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

func newClassic(r io.Reader, anyLink bool) (*Reader, error) {
	pcap, err := pcapgo.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("capture: %w", err)
	}
	link := pcap.LinkType()
	if link != layers.LinkTypeEthernet && !anyLink {
		return nil, fmt.Errorf("%w: link type %v", ErrNotEthernet, link)
	}
	return &Reader{read: func() (Frame, error) {
		data, info, err := pcap.ReadPacketData()
		return Frame{At: info.Timestamp, Data: data, Len: info.Length, Link: link}, err
	}}, nil
}

// newNg reads pcapng. A file may have interfaces of several link types; if only Ethernet is wanted,
// the frames of the others are skipped, unless there are no others.
func newNg(r io.Reader, anyLink bool) (*Reader, error) {
	ng, err := pcapgo.NewNgReader(r, pcapgo.NgReaderOptions{WantMixedLinkType: true, SkipUnknownVersion: true})
	if err != nil {
		return nil, fmt.Errorf("capture: %w", err)
	}
	out := &Reader{}
	var other *layers.LinkType // of a frame that was skipped
	ethernet := false
	out.read = func() (Frame, error) {
		for {
			f, err := readNg(ng)
			switch {
			case errors.Is(err, io.EOF) && !ethernet && other != nil:
				return f, fmt.Errorf("%w: link type %v", ErrNotEthernet, *other)
			case err == nil && f.Link != layers.LinkTypeEthernet && !anyLink:
				other = &f.Link
				out.skipped++
				continue
			}
			ethernet = true
			return f, err
		}
	}
	return out, nil
}

func readNg(ng *pcapgo.NgReader) (Frame, error) {
	data, info, err := ng.ReadPacketData()
	f := Frame{At: info.Timestamp, Data: data, Len: info.Length, Link: layers.LinkTypeEthernet}
	if len(info.AncillaryData) > 0 {
		if link, ok := info.AncillaryData[0].(layers.LinkType); ok {
			f.Link = link
		}
	}
	return f, err
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
			f, err := r.read()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(Frame{}, fmt.Errorf("frame %d: %w", n, err))
				return
			}
			if f.At.IsZero() {
				f.At = last
			}
			last = f.At
			if !yield(f, nil) {
				return
			}
		}
	}
}
