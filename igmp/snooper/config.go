package snooper

import (
	"net/netip"
	"slices"
	"time"
)

// Config is a Snooper's policy. The zero value is the one that RFC 4541 and RFC 4604 describe.
type Config struct {
	// SSM are the group ranges in which a group is only ever wanted from named sources: there, IGMPv1 and IGMPv2
	// messages and records that ask for "any source" are not taken (RFC 4604 2.2). nil means 232.0.0.0/8 (RFC 4607);
	// an empty, non-nil slice means none. Prefixes that are not IPv4 match nothing.
	SSM []netip.Prefix

	// RouterTimeout is how long a port counts as a router port after a sign that names no time of its own; 0 means
	// 255 s, the Other Querier Present Interval of a querier with default timers (RFC 9776 8.5).
	RouterTimeout time.Duration
	// MaxRouterTimeout is the most that a sign can ask for, whatever it says: PIM's "for ever" and the absurd query
	// intervals of broken queriers end here. 0 means one hour; less than RouterTimeout means RouterTimeout.
	MaxRouterTimeout time.Duration
	// MaxRouterPorts bounds the learnt pairs of port and VLAN, about 500 bytes each; 0 means 4096. A pair over it is
	// not learnt, and counted. Trusted ports are not bound by it.
	MaxRouterPorts int

	// Checks says which well-formed messages are taken; the zero value takes what real hosts and switches send.
	Checks Checks
	// Limits bound what one port can cause; the zero value has limits far above what healthy ports need.
	Limits Limits
	// Validator decides about records that pass everything else; nil allows them all.
	Validator Validator
}

const (
	defaultRouterTimeout    = 255 * time.Second
	defaultMaxRouterTimeout = time.Hour
	defaultMaxRouterPorts   = 4096
)

var defaultSSM = netip.PrefixFrom(netip.AddrFrom4([4]byte{232}), 8)

// withDefaults returns c with every zero replaced, and nothing shared with the caller.
func (c Config) withDefaults() Config {
	if c.SSM == nil {
		c.SSM = []netip.Prefix{defaultSSM}
	}
	c.SSM = slices.Clone(c.SSM)
	if c.RouterTimeout <= 0 {
		c.RouterTimeout = defaultRouterTimeout
	}
	if c.MaxRouterTimeout <= 0 {
		c.MaxRouterTimeout = defaultMaxRouterTimeout
	}
	c.MaxRouterTimeout = max(c.MaxRouterTimeout, c.RouterTimeout)
	if c.MaxRouterPorts <= 0 {
		c.MaxRouterPorts = defaultMaxRouterPorts
	}
	c.Checks = c.Checks.withDefaults()
	c.Limits = c.Limits.withDefaults()
	return c
}
