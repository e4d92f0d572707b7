package ovslab

import (
	"context"
	"fmt"
	"net/netip"
	"os"
)

// newPort is a port that AddHosts adds or adds to, with the hosts for it.
type newPort struct {
	name   string
	uplink netip.Prefix // the address of a port that is not the switch's
	hosts  []*Host      // without their namespaces yet
}

// AddHosts adds hosts, and the ports that they name and the switch does not
// have yet, to the running lab. Several hosts can share a new port, or one that
// was shared before; a port that a host has for itself is refused. An error
// wraps ErrConfig if nothing was begun; after another one some of the hosts may
// be there.
func (l *NetLab) AddHosts(ctx context.Context, hosts ...HostConfig) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return fmt.Errorf("ovslab: %w", os.ErrClosed)
	}
	ports, err := l.plan(hosts)
	if err != nil {
		return fmt.Errorf("ovslab: %w", err)
	}
	var vsctl []string
	for _, p := range ports {
		if err := l.connect(ctx, p); err != nil {
			return fmt.Errorf("ovslab: port %s: %w", p.name, err)
		}
		if !p.uplink.IsValid() {
			vsctl = append(append(vsctl, "--"), addPort(l.Bridge(), p.name, l.ports[p.name])...)
		}
	}
	if len(vsctl) == 0 {
		return nil
	}
	return l.changePorts(ctx, vsctl[1:])
}

// plan sorts hosts by their ports in the order in which these are named, or
// says why the hosts cannot be had.
func (l *NetLab) plan(hosts []HostConfig) ([]*newPort, error) {
	if l.made+len(hosts) > maxHosts {
		return nil, fmt.Errorf("%w: more than %d hosts", ErrConfig, maxHosts)
	}
	names := map[string]bool{}
	byName := map[string]*newPort{}
	var ports []*newPort
	for i, cfg := range hosts {
		n := l.made + i + 1
		cfg = cfg.withDefaults(n)
		if err := cfg.validate(l.Bridge()); err != nil {
			return nil, err
		}
		if names[cfg.Name] || l.hosts[cfg.Name] != nil {
			return nil, fmt.Errorf("%w: two hosts named %s", ErrConfig, cfg.Name)
		}
		names[cfg.Name] = true
		p := byName[cfg.Port]
		if p == nil {
			p = &newPort{name: cfg.Port, uplink: netip.PrefixFrom(cfg.Uplink, cfg.Addr.Bits())}
			byName[cfg.Port] = p
			ports = append(ports, p)
		}
		if p.uplink.Addr() != cfg.Uplink {
			return nil, fmt.Errorf("%w: hosts on %s with different uplinks", ErrConfig, p.name)
		}
		p.hosts = append(p.hosts, &Host{lab: l, cfg: cfg, n: n})
	}
	return ports, l.refuseTaken(byName)
}

// refuseTaken refuses ports that a host has for itself.
func (l *NetLab) refuseTaken(ports map[string]*newPort) error {
	for _, h := range l.hosts {
		p := ports[h.cfg.Port]
		switch {
		case p == nil:
		case l.segments[p.name] == nil:
			return fmt.Errorf("%w: port %s belongs to host %s alone", ErrConfig, p.name, h.Name())
		case p.uplink.Addr() != h.cfg.Uplink:
			return fmt.Errorf("%w: hosts on %s with different uplinks", ErrConfig, p.name)
		}
	}
	return nil
}
