package policy

import (
	"fmt"
	"net/netip"
)

// Useless says of each rule that never decides which other one always does before it.
func (p *Policy) Useless() []string {
	var out []string
	for i, r := range p.Rules {
		for before := range i {
			if p.Rules[before].covers(r) {
				out = append(out, fmt.Sprintf("%s never decides: %s does, before it", p.name(i), p.name(before)))
				break
			}
		}
	}
	return out
}

var (
	everyGroup  = netip.MustParsePrefix("224.0.0.0/4")
	everySource = netip.MustParsePrefix("0.0.0.0/0")
)

// covers says whether r matches all that o matches. About every source at once some rules with a source
// do not decide, see matches.
func (r Rule) covers(o Rule) bool {
	atOnce := func(r Rule) bool { return r.Deny || !r.Source.IsValid() }
	return (r.Port == "" || r.Port == o.Port) &&
		contains(r.Group, o.Group, everyGroup) && contains(r.Source, o.Source, everySource) &&
		(atOnce(r) || !atOnce(o))
}

// contains says whether all of small is in large, where a range that is left out is every.
func contains(large, small, every netip.Prefix) bool {
	if !large.IsValid() {
		return true
	}
	if !small.IsValid() || small.Bits() < every.Bits() {
		small = every
	}
	return large.Bits() <= small.Bits() && large.Contains(small.Addr())
}
