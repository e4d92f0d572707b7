package ovslab

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
)

// Names inside a shared port's namespace.
const (
	segmentBridge = "hub"
	segmentUplink = "uplink"
)

// end is one end of a cable.
type end struct {
	in   *Namespace
	name string
}

// connect builds the hosts of a port up to the interface that the switch takes.
func (l *NetLab) connect(ctx context.Context, p *newPort) error {
	if err := l.reserve(ctx, p); err != nil {
		return err
	}
	if len(p.hosts) > 1 && l.segments[p.name] == nil {
		if err := l.addSegment(ctx, p.name); err != nil {
			return err
		}
	}
	for _, h := range p.hosts {
		far := end{l.node, p.name}
		if segment := l.segments[p.name]; segment != nil {
			far = end{segment, h.Name()}
		}
		if err := l.addHost(ctx, h, far); err != nil {
			return fmt.Errorf("host %s: %w", h.Name(), err)
		}
	}
	if p.uplink.IsValid() {
		return l.batch(ctx, l.node, "addr replace "+p.uplink.String()+" dev "+p.name)
	}
	return nil
}

// reserve makes room for a port on the switch, and numbers a new one.
func (l *NetLab) reserve(ctx context.Context, p *newPort) (err error) {
	switch {
	case p.uplink.IsValid():
	case l.ports[p.name] == 0:
		l.ports[p.name] = uint16(len(l.ports) + 1)
	case l.segments[p.name] == nil:
		// The switch would wait on the interface that is gone, not on its successor.
		_, err = l.Vsctl(ctx, "--if-exists", "del-port", l.Bridge(), p.name)
	}
	return err
}

// addSegment makes what several hosts behind one port are plugged into: a
// bridge without snooping, which forwards IGMP like all other multicast.
func (l *NetLab) addSegment(ctx context.Context, port string) error {
	segment, err := l.quietNamespace()
	if err != nil {
		return err
	}
	l.segments[port] = segment
	if err := l.batch(ctx, segment,
		"link add name "+segmentBridge+" type bridge mcast_snooping 0",
		"link set dev "+segmentBridge+" up"); err != nil {
		return err
	}
	if err := l.cable(ctx, end{segment, segmentUplink}, end{l.node, port}, ""); err != nil {
		return err
	}
	return l.batch(ctx, segment, "link set dev "+segmentUplink+" master "+segmentBridge+" up")
}

// addHost makes a host with its end of the cable, and plugs in the far end.
func (l *NetLab) addHost(ctx context.Context, h *Host, far end) (err error) {
	if h.Namespace, err = l.quietNamespace(); err != nil {
		return err
	}
	l.hosts[h.Name()] = h
	l.made++
	if err := l.cable(ctx, end{h.Namespace, hostInterface}, far, " address "+h.MAC()); err != nil {
		return err
	}
	if far.in != l.node {
		if err := l.batch(ctx, far.in, "link set dev "+far.name+" master "+segmentBridge); err != nil {
			return err
		}
	}
	return l.configure(ctx, h)
}

// cable makes a pair of interfaces and takes the far one up. The pair is made
// from the near side: an interface that has been moved keeps nothing of its past.
func (l *NetLab) cable(ctx context.Context, near, far end, attributes string) error {
	if err := l.batch(ctx, near.in, fmt.Sprintf("link add name %s%s type veth peer name %s netns %s",
		near.name, attributes, far.name, far.in.path)); err != nil {
		return err
	}
	return l.batch(ctx, far.in, "link set dev "+far.name+" up")
}

// configure makes the host's interface what its configuration says.
func (l *NetLab) configure(ctx context.Context, h *Host) error {
	// A host on a userspace switch has to finish its checksums itself: receivers
	// silently drop what claims that the hardware will.
	if _, err := h.Run(ctx, l.netTools.ethtool, "-K", hostInterface, "tx", "off"); err != nil {
		return err
	}
	if err := h.applySettings(); err != nil {
		return err
	}
	lines := []string{"link set dev lo up", "link set dev eth0 up",
		"addr add " + h.cfg.Addr.String() + " dev eth0", "route add 224.0.0.0/4 dev eth0"}
	if h.cfg.IPv6 {
		lines = append(lines, "addr add "+h.Addr6().String()+"/64 dev eth0 nodad")
	}
	if h.cfg.Gateway.IsValid() {
		lines = append(lines, "route add default via "+h.cfg.Gateway.String())
	}
	if err := l.batch(ctx, h.Namespace, lines...); err != nil {
		return err
	}
	return h.Do(func() error {
		eth0, err := net.InterfaceByName(hostInterface)
		if err == nil {
			h.index = eth0.Index
		}
		return err
	})
}

// applySettings sets what has to be there before the interface comes up.
func (h *Host) applySettings() error {
	const v4, v6 = "ipv4/conf/" + hostInterface, "ipv6/conf/"
	errs := []error{
		h.setting(v4+"/force_igmp_version", strconv.Itoa(h.cfg.IGMPVersion)),
		h.setting("ipv4/igmp_max_msf", "1000"), // sources a filter may have, 10 by default
	}
	if h.cfg.IPv6 {
		for _, which := range []string{"all", hostInterface} {
			errs = append(errs,
				h.setting(v6+which+"/accept_dad", "0"), // addresses are usable at once
				h.setting(v6+which+"/disable_ipv6", "0"))
		}
	}
	return errors.Join(errs...)
}

// batch runs lines of ip in a namespace, up to the first that fails.
func (l *NetLab) batch(ctx context.Context, in *Namespace, lines ...string) error {
	_, err := in.runInput(ctx, strings.Join(lines, "\n")+"\n", l.netTools.ip, "-batch", "-")
	return err
}
