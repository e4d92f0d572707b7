package config

import (
	"fmt"
	"net/netip"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/ofmcast/ofmcast/examples/agent/policy"
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

// text returns a single value.
func (p parser) text(n *yaml.Node) (string, error) {
	if n.Kind != yaml.ScalarNode {
		return "", p.fail(n, ErrSyntax, "a single value expected")
	}
	return n.Value, nil
}

// flag takes a value, or a list of them for a flag that may be repeated.
func (p parser) flag(f *File, key, value *yaml.Node) error {
	add := func(n *yaml.Node) error {
		text, err := p.text(n)
		f.flags = append(f.flags, setting{key.Value, text, n.Line})
		return err
	}
	if value.Kind == yaml.SequenceNode {
		return p.items(value, add)
	}
	return add(value)
}

func (p parser) policy(to *policy.Policy, n *yaml.Node) error {
	return p.pairs(n, func(key, value *yaml.Node) (err error) {
		switch key.Value {
		case "rules":
			return p.items(value, func(n *yaml.Node) error { return p.rule(to, n) })
		case "rest":
			to.DenyRest = value.Value == "deny"
			if value.Value != "deny" && value.Value != "allow" {
				return p.fail(value, ErrSyntax, "rest is allow or deny")
			}
		case "static":
			return p.items(value, func(n *yaml.Node) error { return p.static(to, n) })
		case "drain":
			return p.items(value, func(n *yaml.Node) error {
				name, err := p.port(n)
				to.Drain = append(to.Drain, name)
				return err
			})
		case "freeze":
			if to.Freeze, err = strconv.ParseBool(value.Value); err != nil {
				return p.fail(value, ErrSyntax, "freeze is true or false")
			}
		default:
			return p.unknown(key)
		}
		return nil
	})
}

// rule reads deny: {…} or allow: {…}.
func (p parser) rule(to *policy.Policy, n *yaml.Node) error {
	if n.Kind != yaml.MappingNode || len(n.Content) != 2 {
		return p.fail(n, ErrSyntax, "allow: {…} or deny: {…} expected")
	}
	return p.pairs(n, func(verdict, what *yaml.Node) error {
		r := policy.Rule{Deny: verdict.Value == "deny"}
		if verdict.Value != "deny" && verdict.Value != "allow" {
			return p.unknown(verdict)
		}
		err := p.pairs(what, func(key, value *yaml.Node) (err error) {
			switch key.Value {
			case "port":
				r.Port, err = p.port(value)
			case "group":
				r.Group, err = p.prefix(value)
			case "source":
				r.Source, err = p.prefix(value)
			default:
				err = p.unknown(key)
			}
			return err
		})
		to.Rules = append(to.Rules, r)
		return err
	})
}

func (p parser) static(to *policy.Policy, n *yaml.Node) error {
	var s policy.Static
	err := p.pairs(n, func(key, value *yaml.Node) (err error) {
		switch key.Value {
		case "port":
			s.Port, err = p.port(value)
		case "group":
			s.Group.Addr, err = p.addr(value)
		case "vlan":
			var vlan uint64
			if vlan, err = strconv.ParseUint(value.Value, 10, 12); err != nil {
				return p.fail(value, ErrSyntax, "%q is no VLAN", value.Value)
			}
			s.Group.Segment = uint32(vlan)
		case "sources":
			err = p.items(value, func(n *yaml.Node) error {
				a, err := p.addr(n)
				if err == nil && a.IsMulticast() {
					err = p.fail(n, ErrSyntax, "%q is no source", n.Value)
				}
				s.Sources = append(s.Sources, a)
				return err
			})
		default:
			err = p.unknown(key)
		}
		return err
	})
	switch {
	case err != nil:
		return err
	case s.Port == "" || !s.Group.Addr.Is4() || !s.Group.Addr.IsMulticast():
		return p.fail(n, ErrSyntax, "a static join needs a port, and a group that is an IPv4 multicast address")
	}
	to.Static = append(to.Static, s)
	return nil
}

// port reads a name. None at all, which would mean every port, is a mistake.
func (p parser) port(n *yaml.Node) (string, error) {
	name, err := p.text(n)
	if err == nil && (name == "" || n.Tag == "!!null") {
		err = p.fail(n, ErrSyntax, "the name of a port expected")
	}
	return name, err
}

func (p parser) addr(n *yaml.Node) (netip.Addr, error) {
	a, err := netip.ParseAddr(n.Value)
	if err != nil || !a.Is4() {
		return a, p.fail(n, ErrSyntax, "%q is no IPv4 address", n.Value)
	}
	return a, nil
}

// prefix reads a range of addresses, or a single one.
func (p parser) prefix(n *yaml.Node) (netip.Prefix, error) {
	if a, err := netip.ParseAddr(n.Value); err == nil && a.Is4() {
		return netip.PrefixFrom(a, a.BitLen()), nil
	}
	r, err := netip.ParsePrefix(n.Value)
	if err != nil || !r.Addr().Is4() {
		return r, p.fail(n, ErrSyntax, "%q is no range of IPv4 addresses, such as 239.1.0.0/16", n.Value)
	}
	return r.Masked(), nil
}
