package config

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// parser reads parts of a file.
type parser struct{ path string }

func (p parser) fail(at *yaml.Node, err error, format string, args ...any) error {
	return &Error{p.path, at.Line, fmt.Errorf("%w: "+format, append([]any{err}, args...)...)}
}

func (p parser) unknown(key *yaml.Node) error {
	return &Error{p.path, key.Line, fmt.Errorf("%w %q", ErrUnknown, key.Value)}
}

// pairs calls f for each key of a mapping.
func (p parser) pairs(n *yaml.Node, f func(key, value *yaml.Node) error) error {
	if n.Kind != yaml.MappingNode {
		return p.fail(n, ErrSyntax, "KEY: VALUE expected")
	}
	seen := make(map[string]bool)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if seen[key.Value] {
			return &Error{p.path, key.Line, fmt.Errorf("%w %q", ErrRepeated, key.Value)}
		}
		seen[key.Value] = true
		if err := f(key, value); err != nil {
			return err
		}
	}
	return nil
}

// items calls f for each entry of a list.
func (p parser) items(n *yaml.Node, f func(*yaml.Node) error) error {
	if isNull(n) { // all its entries are commented out
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		return p.fail(n, ErrSyntax, "a list expected")
	}
	for _, item := range n.Content {
		if err := f(item); err != nil {
			return err
		}
	}
	return nil
}

// isNull says whether there is no value, as behind a key whose lines are all commented out.
func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// text returns a single value.
func (p parser) text(n *yaml.Node) (string, error) {
	if n.Kind != yaml.ScalarNode || isNull(n) {
		return "", p.fail(n, ErrSyntax, "a single value expected")
	}
	return n.Value, nil
}
