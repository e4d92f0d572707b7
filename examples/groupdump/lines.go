package main

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
)

// maxLine has room for the largest message, 65,535 bytes, with as many blanks again as digits.
const maxLine = 4 * 65535

var (
	errLine  = errors.New("line longer than a message can be")
	errBytes = errors.New("encoded again it has other bytes")
)

// dump prints every message of in: as text, or, with roundtrip, as the bytes that it is encoded to
// again. Lines that are no messages are told to complain, with their number; ok is false if there were any.
// err is a failure to read or to write.
func dump(in io.Reader, out io.Writer, roundtrip bool, complain func(line int, err error)) (ok bool, err error) {
	w := bufio.NewWriter(out)
	r := bufio.NewReaderSize(in, maxLine)
	ok = true
	for n := 1; ; n++ {
		line, err := readLine(r)
		switch {
		case errors.Is(err, io.EOF):
			return ok, w.Flush()
		case err == nil:
			err = dumpLine(line, w, roundtrip)
		case !errors.Is(err, errLine):
			return ok, errors.Join(err, w.Flush())
		}
		if err != nil {
			ok = false
			complain(n, err)
		}
		if r.Buffered() > 0 {
			continue
		}
		if err := w.Flush(); err != nil { // whoever types, or follows a log, waits for this
			return ok, err
		}
	}
}

// readLine is the next line, valid until the next call. The rest of one that is too long is passed
// over.
func readLine(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = r.ReadSlice('\n')
		}
		return nil, errLine
	}
	if errors.Is(err, io.EOF) && len(line) > 0 {
		err = nil // the last line needs no end
	}
	return line, err
}

// dumpLine prints the message of one line, if there is one.
func dumpLine(line []byte, w io.Writer, roundtrip bool) error {
	digits := bytes.Join(bytes.Fields(line), nil)
	if len(digits) == 0 || digits[0] == '#' {
		return nil
	}
	msg := make([]byte, hex.DecodedLen(len(digits)))
	if _, err := hex.Decode(msg, digits); err != nil {
		return err
	}
	d, err := decode(msg)
	if err != nil {
		return err
	}
	if !roundtrip {
		for _, text := range d.lines {
			fmt.Fprintln(w, text)
		}
		return nil
	}
	again, err := d.encode()
	if err != nil {
		return err
	}
	fmt.Fprintln(w, hex.EncodeToString(again))
	if !bytes.Equal(msg, again) {
		return errBytes
	}
	return nil
}
