// Package statefile keeps what a program knows in a file, for its next process. A file is written
// whole or not at all, whenever the program or the machine stops, and what is read is what was
// written, or an error.
//
//	{"format":"ofmcast agent","version":1,"crc32c":"e3069283","body":{...}}
//
// The sum is CRC-32C over the value of body without white space between its tokens, in hexadecimal.
package statefile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
)

var (
	// ErrForeign marks a file that is no state file of this program, or of a version that it does
	// not know.
	ErrForeign = errors.New("not a state file of this program")
	// ErrDamaged marks a file that is not as it was written.
	ErrDamaged = errors.New("damaged state file")
	// ErrInUse says that another process has the file.
	ErrInUse = errors.New("state file in use by another process")
	// ErrTooLarge marks a state beyond MaxSize.
	ErrTooLarge = errors.New("state too large")
)

// MaxSize bounds a file, in bytes: who reads one needs several times as much memory.
const MaxSize = 16 << 20

// Kind says what is in a file. A change that older readers would misunderstand gets a new version.
type Kind struct {
	Format  string
	Version int
}

type envelope struct {
	Format  string          `json:"format"`
	Version int             `json:"version"`
	Sum     string          `json:"crc32c"`
	Body    json.RawMessage `json:"body"`
}

// Marshal returns the content of a file. The error is ErrTooLarge, or that of encoding body.
func (k Kind) Marshal(body any) ([]byte, error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(envelope{k.Format, k.Version, sum(raw), raw})
	if err != nil {
		return nil, err
	}
	if len(text) >= MaxSize {
		return nil, fmt.Errorf("%w: %d bytes", ErrTooLarge, len(text))
	}
	return append(text, '\n'), nil
}

// Unmarshal reads the content of a file into body, a pointer. After an error, which is one of this
// package's, body may be changed in part.
func (k Kind) Unmarshal(text []byte, body any) error {
	var in envelope
	if err := json.Unmarshal(text, &in); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if in.Format != k.Format || in.Version != k.Version {
		return fmt.Errorf("%w: format %q, version %d", ErrForeign, in.Format, in.Version)
	}
	var raw bytes.Buffer
	if err := json.Compact(&raw, in.Body); err != nil || sum(raw.Bytes()) != in.Sum {
		return fmt.Errorf("%w: checksum does not agree", ErrDamaged)
	}
	if err := json.Unmarshal(raw.Bytes(), body); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return nil
}

func sum(b []byte) string {
	return fmt.Sprintf("%08x", crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
}
