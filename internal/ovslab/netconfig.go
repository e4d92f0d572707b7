package ovslab

import (
	"errors"
	"fmt"
	"net/netip"
	"regexp"
)

// NetConfig says what lab with hosts to start. The zero value works: a bridge
// on the userspace datapath, without hosts.
type NetConfig struct {
	// FailMode is as in Config.
	FailMode string
	// Hosts are connected in this order; a port gets the next OpenFlow port
	// number, from 1 on, with the first host that names it.
	Hosts []HostConfig
}

// HostConfig says what one host is like. The zero value with a Name works: a
// host on a port of its own that speaks IPv4 and IGMPv3.
type HostConfig struct {
	// Name tells hosts apart: 1 to 15 of a-z, 0-9, - and _.
	Name string
	// Port is the switch port the host is behind, default Name. Hosts that name
	// the same port share it over a bridge that forwards everything to all, as
	// machines behind an unmanaged switch do: they hear each other's reports.
	Port string
	// IGMPVersion is 1, 2 or 3, the kernel's force_igmp_version; 0 leaves the
	// kernel to speak version 3 and to follow older queriers.
	IGMPVersion int
	// Addr is the IPv4 address with its prefix, default 192.0.2.N/24, where N
	// counts the lab's hosts from 1 on.
	Addr netip.Prefix
	// IPv6 gives the host a link-local address and 2001:db8::N/64, usable at
	// once, and lets it speak MLD. Otherwise it sends nothing but IPv4.
	IPv6 bool
	// Gateway, if there is one, is the host's default IPv4 router.
	Gateway netip.Addr
	// Uplink, if there is one, puts the host outside: not behind the switch, but
	// beyond the interface Port of the switch's own machine, see NetLab.Node,
	// which has this IPv4 address in the network of Addr. Hosts that share the
	// interface name the same.
	Uplink netip.Addr
}

// ErrConfig is wrapped by the errors that refuse a HostConfig.
var ErrConfig = errors.New("not a lab that can be built")

// maxHosts bounds what one lab takes of a machine.
const maxHosts = 64

// nameForm is what may be the name of a host and of a network interface.
var nameForm = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,14}$`)

// withDefaults completes a host's configuration as the lab's n-th host.
func (c HostConfig) withDefaults(n int) HostConfig {
	if c.Port == "" {
		c.Port = c.Name
	}
	if !c.Addr.IsValid() {
		c.Addr = netip.PrefixFrom(netip.AddrFrom4([4]byte{192, 0, 2, byte(n)}), 24)
	}
	return c
}

// validate refuses what would fail later and less clearly. The configuration
// has its defaults.
func (c HostConfig) validate(bridge string) error {
	switch {
	case !nameForm.MatchString(c.Name):
		return fmt.Errorf("%w: a host named %q", ErrConfig, c.Name)
	case !nameForm.MatchString(c.Port), c.Port == "lo", c.Port == bridge:
		return fmt.Errorf("%w: host %s on a port named %q", ErrConfig, c.Name, c.Port)
	case c.IGMPVersion < 0 || c.IGMPVersion > 3:
		return fmt.Errorf("%w: host %s with IGMP version %d", ErrConfig, c.Name, c.IGMPVersion)
	case !c.Addr.Addr().Is4():
		return fmt.Errorf("%w: host %s with the address %v", ErrConfig, c.Name, c.Addr)
	case c.Gateway.IsValid() && !c.Gateway.Is4():
		return fmt.Errorf("%w: host %s with the gateway %v", ErrConfig, c.Name, c.Gateway)
	case c.Uplink.IsValid() && !c.Addr.Contains(c.Uplink):
		return fmt.Errorf("%w: host %s beyond the uplink %v, which is not in %v", ErrConfig, c.Name, c.Uplink, c.Addr.Masked())
	}
	return nil
}
