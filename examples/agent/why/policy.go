package why

import (
	"fmt"
	"net/netip"
)

// atPolicy asks the policy in force what it has against a join of the group behind the port, and of the
// source alone if one is named. It returns what denies it, or nothing.
func (e *explanation) atPolicy() (denied string) {
	if e.s.Policy == nil {
		return ""
	}
	if denied = e.atPolicyOf(e.q.Source); denied != "" {
		return denied
	}
	if e.q.Source.IsValid() {
		if denied = e.atPolicyOf(netip.Addr{}); denied != "" {
			return fmt.Sprintf("%s, unless hosts ask for %v alone, which takes IGMPv3", denied, e.q.Source)
		}
	}
	e.step(true, "the policy allows it: %s", e.s.Policy.Reason(e.port.Name, e.q.Group, e.q.Source))
	return ""
}

// atPolicyOf is about joins for one source or, with the zero Addr, for every source at once.
func (e *explanation) atPolicyOf(source netip.Addr) (denied string) {
	p := e.s.Policy
	if p == nil || p.Allows(e.port.Name, e.q.Group, source) {
		return ""
	}
	denied = p.Reason(e.port.Name, e.q.Group, source)
	whom := "every source"
	if source.IsValid() {
		whom = source.String()
	}
	e.step(false, "the policy denies a join of %s for %s: %s", e.name(), whom, denied)
	if e.port.Denied > 0 {
		e.step(false, "%d reports from there, for whatever group, have been denied so far", e.port.Denied)
	}
	return denied
}
