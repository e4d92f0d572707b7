package mroute

import (
	"errors"
	"slices"
	"syscall"

	"github.com/mdlayher/netlink"
)

// AddRule has the kernel look up in the Socket's table what arrives at an interface, by name, or at every one if it is
// "". Without such a rule (ip mrule) nothing ever comes to a table but the default one, which needs none: there AddRule
// does nothing. The interface need not exist yet. A Router does it for its inputs.
//
// The rule is removed by DelRule and by Close, and passes on by Handover: whoever takes over calls AddRule again, to own
// it. A program that was killed leaves it behind, and then what arrives there is dropped until the next one owns the
// table. Rules that others made are left alone. Adding a rule again does nothing. Errors: ErrPermission,
// errors.ErrUnsupported, os.ErrClosed.
func (s *Socket) AddRule(in string) error {
	if s.table == rtDefault {
		return nil
	}
	if err := s.lock(); err != nil {
		return fault("add rule", in, err)
	}
	defer s.mu.Unlock()
	return fault("add rule", in, ruleMeaning.explain(s.addRule(s.rule(in))))
}

// addRule makes r unless it is there, ours or of an earlier life. The kernel would make it twice.
func (s *Socket) addRule(r fibRule) error {
	if s.rules[r] {
		return nil
	}
	there, err := s.kernel.fibRules()
	if err == nil && !slices.ContainsFunc(there, r.same) {
		err = s.kernel.addRule(r)
	}
	if err == nil {
		s.rules[r] = true
	}
	return err
}

func (s *Socket) rule(in string) fibRule {
	return fibRule{in: in, table: s.table, toTable: true, ours: true}
}

// DelRule removes what AddRule made. Without such a rule it does nothing.
func (s *Socket) DelRule(in string) error {
	if err := s.lock(); err != nil {
		return fault("delete rule", in, err)
	}
	defer s.mu.Unlock()
	return fault("delete rule", in, ruleMeaning.explain(s.dropRule(s.rule(in))))
}

var ruleMeaning = meaning{
	syscall.EAFNOSUPPORT: errors.ErrUnsupported,
	syscall.EOPNOTSUPP:   errors.ErrUnsupported,
	syscall.EINVAL:       ErrNoInterface, // a name that none can have
}

// dropRules removes all rules of the Socket's, whose lock is held.
func (s *Socket) dropRules() error {
	var errs []error
	for r := range s.rules {
		errs = append(errs, s.dropRule(r))
	}
	return errors.Join(errs...)
}

func (s *Socket) dropRule(r fibRule) error {
	if !s.rules[r] {
		return nil
	}
	if err := s.kernel.delRule(r); err != nil && !errors.Is(err, syscall.ENOENT) {
		return err
	}
	delete(s.rules, r)
	return nil
}

// fibRule is a rule of multicast routing: which packets are looked up in which table. struct fib_rule_hdr and attributes
// of linux/fib_rules.h.
type fibRule struct {
	in      string // the interface where the packets arrive; "" for all
	table   uint32
	toTable bool // and not another action
	ours    bool // of this package

	priority uint32 // which the kernel gave
}

// same says whether o is r, at whatever priority.
func (r fibRule) same(o fibRule) bool {
	o.priority = r.priority
	return r == o
}

const (
	ruleLen      = 12
	offRuleTable = 4
	offRuleDo    = 7
	ruleToTable  = 1 // FR_ACT_TO_TBL

	fraIIF      = 3
	fraPriority = 6
	fraTable    = 15
	fraProtocol = 21

	// ruleOurs marks the rules of this package, so that it never touches another's: RTPROT_MROUTED, a multicast
	// daemon. (ip mrule makes its rules with RTPROT_BOOT.)
	ruleOurs = 17
)

// marshal is the body of a request for one of this package's rules.
func (r fibRule) marshal() []byte {
	b := make([]byte, ruleLen)
	b[0], b[offRuleDo] = familyIPMR, ruleToTable
	e := netlink.NewAttributeEncoder()
	e.Uint32(fraTable, r.table)
	e.Uint8(fraProtocol, ruleOurs)
	if r.in != "" {
		e.String(fraIIF, r.in)
	}
	if r.priority != 0 {
		e.Uint32(fraPriority, r.priority)
	}
	attributes, _ := e.Encode() // fails for more than 64 KiB, and no name is that long
	return append(b, attributes...)
}

// allRules is the body of a request for all rules.
func allRules() []byte {
	b := make([]byte, ruleLen)
	b[0] = familyIPMR
	return b
}

// parseFIBRule reads the body of RTM_NEWRULE.
func parseFIBRule(b []byte) (fibRule, error) {
	if len(b) < ruleLen || b[0] != familyIPMR {
		return fibRule{}, ErrMalformed
	}
	r := fibRule{table: uint32(b[offRuleTable]), toTable: b[offRuleDo] == ruleToTable}
	d, err := netlink.NewAttributeDecoder(b[ruleLen:])
	if err != nil {
		return fibRule{}, ErrMalformed
	}
	for d.Next() {
		switch d.Type() {
		case fraIIF:
			r.in = d.String()
		case fraTable:
			r.table = d.Uint32()
		case fraPriority:
			r.priority = d.Uint32()
		case fraProtocol:
			r.ours = d.Uint8() == ruleOurs
		}
	}
	if d.Err() != nil {
		return fibRule{}, ErrMalformed
	}
	return r, nil
}
