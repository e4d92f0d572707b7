package config

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/ofmcast/ofmcast/examples/agent/policy"
	"github.com/ofmcast/ofmcast/mcast"
)

func (p parser) policy(to *policy.Policy, n *yaml.Node) error {
	if isNull(n) {
		return nil
	}
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
		r := policy.Rule{Deny: verdict.Value == "deny", At: fmt.Sprintf("%s:%d", p.path, verdict.Line)}
		if verdict.Value != "deny" && verdict.Value != "allow" {
			return p.unknown(verdict)
		}
		err := p.pairs(what, func(key, value *yaml.Node) (err error) {
			switch key.Value {
			case "port":
				r.Port, err = p.port(value)
			case "group":
				r.Group, err = p.groups(value)
			case "source":
				r.Source, err = p.sources(value)
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
			s.Group.Addr, err = p.group(value)
		case "vlan":
			s.Group.Segment, err = p.vlan(value)
		case "sources":
			s.Sources, err = p.staticSources(value)
		default:
			err = p.unknown(key)
		}
		return err
	})
	switch {
	case err != nil:
		return err
	case s.Port == "" || s.Group == (mcast.Group{Segment: s.Group.Segment}):
		return p.fail(n, ErrSyntax, "a static join needs a port and a group")
	case slices.ContainsFunc(to.Static, func(o policy.Static) bool { return o.Port == s.Port && o.Group == s.Group }):
		return p.fail(n, ErrRepeated, "%s joins %v already", s.Port, s.Group)
	}
	to.Static = append(to.Static, s)
	return nil
}

// staticSources reads those that are wanted alone. None at all would be read as every source.
func (p parser) staticSources(n *yaml.Node) (sources []netip.Addr, err error) {
	err = p.items(n, func(n *yaml.Node) error {
		a, err := p.addr(n)
		if err == nil && !isSource(a) {
			err = p.fail(n, ErrSyntax, "%q is no source", n.Value)
		}
		sources = append(sources, a)
		return err
	})
	if err == nil && len(sources) == 0 {
		err = p.fail(n, ErrSyntax, "sources names none; without it every source is wanted")
	}
	return sources, err
}

// port reads a name. None at all, which would mean every port, is a mistake.
func (p parser) port(n *yaml.Node) (string, error) {
	if n.Value == "" || isNull(n) {
		return "", p.fail(n, ErrSyntax, "the name of a port expected")
	}
	return p.text(n)
}
