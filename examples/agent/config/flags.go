package config

import (
	"flag"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

// List is a flag that may be repeated. The key of its name takes a list, or one value; that of any other
// flag takes one value.
type List func(string) error

// Set implements flag.Value.
func (l List) Set(s string) error { return l(s) }

// String implements flag.Value: there is no default.
func (l List) String() string { return "" }

// setting is what a file says of a flag: a value, one of a list, or none.
type setting struct {
	name, value string
	key, line   int // where they are
	list, none  bool
	applied     bool
	// fault is what is wrong with a value. It waits until it is known whether there is such a key: else who
	// writes a part of the policy beside it would hear of its form, and not of its place.
	fault error
}

// flag takes a value, or a list of them.
func (p parser) flag(f *File, key, value *yaml.Node) {
	s := setting{name: key.Value, key: key.Line, line: value.Line, list: value.Kind == yaml.SequenceNode}
	values := []*yaml.Node{value}
	if s.list {
		values = value.Content
	}
	if isNull(value) || len(values) == 0 {
		s.none = true
		f.flags = append(f.flags, s)
		return
	}
	for _, n := range values {
		s.line = n.Line
		s.value, s.fault = p.text(n)
		f.flags = append(f.flags, s)
	}
}

// Apply sets the flags that the command line has not set. It must be called after it was parsed. Those of
// not are no keys.
func (f *File) Apply(fs *flag.FlagSet, not ...string) error {
	given := make(map[string]bool)
	fs.Visit(func(f *flag.Flag) { given[f.Name] = true })
	for i := range f.flags {
		s := &f.flags[i]
		to := fs.Lookup(s.name)
		if slices.Contains(not, s.name) {
			to = nil
		}
		if to == nil {
			return &Error{f.path, s.key, fmt.Errorf("%w %q", ErrUnknown, s.name)}
		}
		if err := s.fits(to); err != nil {
			return &Error{f.path, s.line, err}
		}
		if s.fault != nil {
			return s.fault
		}
		if given[s.name] || s.none {
			continue
		}
		if err := fs.Set(s.name, s.value); err != nil {
			return &Error{f.path, s.line, fmt.Errorf("%s: %w", s.name, err)}
		}
		s.applied = true
	}
	return nil
}

// fits says whether a flag can take what is there.
func (s *setting) fits(to *flag.Flag) error {
	switch _, list := to.Value.(List); {
	case list: // of which nothing may be left but comments
		return nil
	case s.list:
		return fmt.Errorf("%w: %s takes one value, not a list", ErrSyntax, s.name)
	case s.none:
		return fmt.Errorf("%w: %s has no value", ErrSyntax, s.name)
	}
	return nil
}

// Blame adds to an error about flags which line is at fault: of the first of them that was taken from
// the file. If none was, or f is nil, the error stays as it is.
func (f *File) Blame(err error, flags ...string) error {
	if f == nil || err == nil {
		return err
	}
	for _, name := range flags {
		for _, s := range f.flags {
			if s.name == name && s.applied {
				return &Error{f.path, s.line, err}
			}
		}
	}
	return err
}

// SameFlags says whether both say the same of flags, on whatever lines.
func (f *File) SameFlags(o *File) bool {
	return slices.EqualFunc(f.flags, o.flags, func(a, b setting) bool { return a.name == b.name && a.value == b.value })
}
