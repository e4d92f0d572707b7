// Package config reads an agent's configuration file: what else the command line says, and the policy.
//
//	bridge: br0
//	gateway: gw0
//	uplink: [eth1, eth2]        # a flag that may be repeated
//	query-interval: 60s
//
//	policy:
//	  rules:                    # the first that matches decides
//	    - deny: {port: vm7, group: 239.1.0.0/16}
//	    - allow: {group: 239.0.0.0/8, source: 192.0.2.0/24}
//	  rest: deny                # what no rule matches; allow is the default
//	  static:
//	    - {port: vm1, group: 239.1.1.1, vlan: 10, sources: [192.0.2.1]}
//	  drain: [vm9]
//	  freeze: false
//
// Every flag is a key of the same name. What is on the command line is not taken from the file. Errors
// name the line; a key that is not known is one, and so are a list for what there is only one of, no
// value at all, and a rule that nothing can match. A list, or the policy, of which nothing is left but
// comments is empty. What is merely of no use is a warning.
package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"go.yaml.in/yaml/v3"

	"github.com/ofmcast/ofmcast/examples/agent/policy"
)

// File is what a configuration file says.
type File struct {
	Policy policy.Policy

	path  string
	flags []setting
	empty bool
}

// Empty says that there is not a single key: a file is so while it is written anew.
func (f *File) Empty() bool { return f.empty }

// Error says what is wrong with a file, and where.
type Error struct {
	Path string
	Line int
	Err  error
}

// Error names file and line, as compilers do.
func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %v", e.Path, e.Line, e.Err) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// maxSize is how large a file may be.
const maxSize = 4 << 20

var (
	// ErrUnknown says that there is no such key.
	ErrUnknown = errors.New("unknown key")
	// ErrRepeated says that a key is there twice.
	ErrRepeated = errors.New("key repeated")
	// ErrSyntax says that something else is expected.
	ErrSyntax = errors.New("syntax")
)

// Read reads a file.
func Read(path string) (*File, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }()
	data, err := io.ReadAll(io.LimitReader(in, maxSize+1))
	if err != nil {
		return nil, err
	}
	return Parse(path, data)
}

// Parse reads what a file of that name holds.
func Parse(path string, data []byte) (*File, error) {
	if len(data) > maxSize {
		return nil, fmt.Errorf("%s: more than %d bytes", path, maxSize)
	}
	f, p := &File{path: path, empty: true}, parser{path: path}
	var doc, next yaml.Node
	in := yaml.NewDecoder(bytes.NewReader(data))
	switch err := in.Decode(&doc); {
	case errors.Is(err, io.EOF): // nothing but comments
		return f, nil
	case err != nil:
		return nil, p.syntaxError(data, err)
	}
	if err := in.Decode(&next); !errors.Is(err, io.EOF) {
		return nil, p.fail(&next, ErrSyntax, "a second document")
	}
	if doc.Content[0].Tag == "!!null" {
		return f, nil
	}
	return f, p.pairs(doc.Content[0], func(key, value *yaml.Node) error {
		f.empty = false
		if key.Value == "policy" {
			return p.policy(&f.Policy, value)
		}
		p.flag(f, key, value)
		return nil
	})
}
