package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"

	"go.yaml.in/yaml/v3"
)

// syntaxError says where a file cannot be read. The line in what the YAML package says is often that of what
// surrounds the mistake, or the one before, so it is looked for.
func (p parser) syntaxError(data []byte, cause error) error {
	var wrong *json.SyntaxError
	if looksLikeJSON(data) && errors.As(json.Unmarshal(data, new(any)), &wrong) {
		line := 1 + bytes.Count(data[:max(wrong.Offset-1, 0)], []byte("\n"))
		return &Error{p.path, line, fmt.Errorf("%w: %w", ErrSyntax, wrong)}
	}
	if line, ok := brokenLine(data); ok {
		text := yamlPlace.ReplaceAllString(cause.Error(), "")
		return &Error{p.path, line, fmt.Errorf("%w: %s", ErrSyntax, text)}
	}
	return fmt.Errorf("%s: %w: %w", p.path, ErrSyntax, cause)
}

// yamlPlace is what stands before an error of the YAML package.
var yamlPlace = regexp.MustCompile(`^yaml: (line \d+: )?`)

// looksLikeJSON says whether a file begins like an object of JSON and not like a mapping of YAML.
func looksLikeJSON(data []byte) bool {
	inside, ok := bytes.CutPrefix(bytes.TrimSpace(data), []byte("{"))
	return ok && bytes.HasPrefix(bytes.TrimSpace(inside), []byte(`"`))
}

// searched is how many bytes are read again, at most, to find a line: a megabyte takes most of a second to read.
const searched = 256 << 10

// brokenLine is the line that follows the longest part of a file that can be read: there begins what is wrong.
func brokenLine(data []byte) (line int, ok bool) {
	rest := searched
	for end := lastLine(data, readUntil(data)); rest >= end; end = lastLine(data, end) {
		if end == 0 || yaml.Unmarshal(data[:end], new(yaml.Node)) == nil {
			return 1 + bytes.Count(data[:end], []byte("\n")), true
		}
		rest -= end
	}
	return 0, false
}

// lastLine is where the line begins that ends at an offset.
func lastLine(data []byte, end int) int {
	return bytes.LastIndexByte(data[:max(end-1, 0)], '\n') + 1
}

// readUntil is how far a file is read, by whole lines, until the mistake is seen.
func readUntil(data []byte) int {
	in := &lineReader{data: data}
	_ = yaml.NewDecoder(in).Decode(new(yaml.Node))
	return in.at
}

// lineReader reads no further than to the end of a line at a time.
type lineReader struct {
	data []byte
	at   int
}

// Read implements io.Reader.
func (r *lineReader) Read(p []byte) (int, error) {
	rest := r.data[r.at:]
	if end := bytes.IndexByte(rest, '\n'); end >= 0 {
		rest = rest[:end+1]
	}
	if len(rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, rest)
	r.at += n
	return n, nil
}
