package capture

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"os"
)

// Four Linux hosts that speak IGMPv1, v2 and v3, and a querier with a query interval of 10 s.
//
//go:embed testdata/mixed.pcap
var builtIn []byte

// Open opens a capture file, the standard input when path is "-", or the built-in capture of real
// hosts when it is empty. Only Ethernet frames are handed out.
func Open(path string) (*Reader, io.Closer, error) {
	if path == "" {
		r, err := NewReader(bytes.NewReader(builtIn))
		return r, io.NopCloser(nil), err
	}
	return open(path, false)
}

// OpenAny opens a capture file, or the standard input when path is "-", for frames of every link type.
func OpenAny(path string) (*Reader, io.Closer, error) { return open(path, true) }

func open(path string, anyLink bool) (*Reader, io.Closer, error) {
	file, err := os.Stdin, error(nil)
	if path != "-" {
		file, err = os.Open(path)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("capture: %w", err)
	}
	r, err := newReader(file, anyLink)
	if err != nil {
		_ = file.Close()
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, file, nil
}
