// Package policy says who may join what, and what is joined without asking.
package policy

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/ofmcast/ofmcast/mcast"
)

// Policy is what an administrator wants. The zero Policy allows everything.
type Policy struct {
	// Rules are looked at in their order: the first that matches decides.
	Rules []Rule `json:"rules,omitempty"`
	// DenyRest denies what no rule matches.
	DenyRest bool `json:"deny_rest,omitempty"`
	// Static are joins of ports whose hosts need not, or cannot, say so.
	Static []Static `json:"-"` // what they join is a membership
	// Drain are ports, by name, whose memberships end at once, and where none is taken.
	Drain []string `json:"drain,omitempty"`
	// Freeze lets memberships come but not go: neither a leave nor silence ends one.
	Freeze bool `json:"freeze,omitempty"`
}

// Rule matches joins. What it leaves out matches everything.
type Rule struct {
	Deny bool   `json:"deny,omitempty"`
	Port string `json:"port,omitempty"` // a name
	// Group and Source are ranges of addresses.
	Group  netip.Prefix `json:"group,omitzero"`
	Source netip.Prefix `json:"source,omitzero"`
	// At is where it is written, FILE:LINE.
	At string `json:"at,omitempty"`
}

// Static is a join that is configured.
type Static struct {
	Port  string // a name
	Group mcast.Group
	// Sources are wanted alone; none: all sources are.
	Sources []netip.Addr
}

// Drained says whether a port is.
func (p *Policy) Drained(port string) bool { return slices.Contains(p.Drain, port) }

// Allows says whether a port may have the packets of a source. The zero Addr asks for every source at
// once, and so for the denied ones too: it is allowed where no rule that could matter denies any.
func (p *Policy) Allows(port string, group, source netip.Addr) bool {
	switch i := p.first(port, group, source); {
	case p.Drained(port):
		return false
	case i >= 0:
		return !p.Rules[i].Deny
	}
	return !p.DenyRest
}

// first is the index of the first rule that matches, or -1.
func (p *Policy) first(port string, group, source netip.Addr) int {
	return slices.IndexFunc(p.Rules, func(r Rule) bool { return r.matches(port, group, source) })
}

// Reason is what Allows goes by, for people: "rule 2 (FILE:LINE)".
func (p *Policy) Reason(port string, group, source netip.Addr) string {
	switch i := p.first(port, group, source); {
	case p.Drained(port):
		return "drain"
	case i >= 0 && !source.IsValid() && p.Rules[i].Source.IsValid():
		return fmt.Sprintf("%s, for every source is %v too", p.name(i), p.Rules[i].Source)
	case i >= 0:
		return p.name(i)
	case p.DenyRest:
		return "rest: deny, as no rule matches"
	}
	return "no rule matches"
}

// name of a rule: its number from 1, and where it is written.
func (p *Policy) name(i int) string {
	if p.Rules[i].At == "" {
		return fmt.Sprintf("rule %d", i+1)
	}
	return fmt.Sprintf("rule %d (%s)", i+1, p.Rules[i].At)
}

// matches says whether the rule decides. About every source at once a rule for some of them decides only
// by denying.
func (r Rule) matches(port string, group, source netip.Addr) bool {
	switch {
	case r.Port != "" && r.Port != port, r.Group.IsValid() && !r.Group.Contains(group):
		return false
	case !r.Source.IsValid():
		return true
	case !source.IsValid():
		return r.Deny
	}
	return r.Source.Contains(source)
}

// Permit judges a record. It returns the sources that are left of it, and false if nothing is. What asks
// for nothing, such as a leave, is always permitted.
func (p *Policy) Permit(port string, group netip.Addr, kind mcast.Kind, sources []netip.Addr) (left []netip.Addr, ok bool) {
	switch kind {
	case mcast.ModeIsExclude, mcast.ChangeToExclude:
		return sources, p.Allows(port, group, netip.Addr{})
	case mcast.BlockOldSources:
		return sources, true
	}
	for _, s := range sources {
		if p.Allows(port, group, s) {
			left = append(left, s)
		}
	}
	return left, len(left) > 0 || len(sources) == 0
}

// Denied is the record that takes away what a member has and may not have any more; false if it may have
// all of it.
func (p *Policy) Denied(port string, group netip.Addr, f mcast.Filter) (kind mcast.Kind, sources []netip.Addr, yes bool) {
	if f.Mode() == mcast.Exclude {
		return mcast.ChangeToInclude, nil, !p.Allows(port, group, netip.Addr{})
	}
	for s := range f.Sources() {
		if !p.Allows(port, group, s) {
			sources = append(sources, s)
		}
	}
	if len(sources) == f.Len() {
		return mcast.ChangeToInclude, nil, len(sources) > 0
	}
	return mcast.BlockOldSources, sources, len(sources) > 0
}
