package mroute

import (
	"slices"
	"syscall"

	"github.com/mdlayher/netlink"
)

// fibRules are the rules of all tables.
func (r *tableReader) fibRules() ([]fibRule, error) { return r.conn.fibRules() }

func (c *netlinkConn) fibRules() ([]fibRule, error) {
	messages, err := c.ask(syscall.RTM_GETRULE, netlink.Dump, allRules())
	var all []fibRule
	for _, m := range messages {
		if r, err := parseFIBRule(m.Data); err == nil {
			all = append(all, r)
		}
	}
	return all, err
}

func (r *tableReader) addRule(rule fibRule) error {
	return r.changeRule(syscall.RTM_NEWRULE, netlink.Create, rule)
}

// delRule names the rule by its priority: without an interface the kernel would take the first of any.
func (r *tableReader) delRule(rule fibRule) error {
	all, err := r.fibRules()
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all, rule.same)
	if i < 0 {
		return syscall.ENOENT
	}
	return r.changeRule(syscall.RTM_DELRULE, 0, all[i])
}

func (r *tableReader) changeRule(kind netlink.HeaderType, flags netlink.HeaderFlags, rule fibRule) error {
	if len(rule.in) >= syscall.IFNAMSIZ {
		return syscall.EINVAL // the kernel says ERANGE or EINVAL, by version
	}
	_, err := r.conn.ask(kind, netlink.Acknowledge|flags, rule.marshal())
	return err
}
