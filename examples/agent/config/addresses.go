package config

import (
	"net/netip"
	"strconv"

	"go.yaml.in/yaml/v3"
)

var (
	multicast = netip.MustParsePrefix("224.0.0.0/4")
	// linkLocal is what stays on its link: nobody's join counts there (RFC 4541 2.1.2).
	linkLocal = netip.MustParsePrefix("224.0.0.0/24")
	broadcast = netip.MustParseAddr("255.255.255.255")
)

// isSource says whether a packet can come from there (RFC 1122 3.2.1.3).
func isSource(a netip.Addr) bool { return !a.IsUnspecified() && !a.IsMulticast() && a != broadcast }

// within says whether all of r is in a range.
func within(r, in netip.Prefix) bool { return r.Bits() >= in.Bits() && in.Contains(r.Addr()) }

// groups reads a range that somebody can join groups of.
func (p parser) groups(n *yaml.Node) (netip.Prefix, error) {
	r, err := p.prefix(n)
	switch {
	case err != nil:
		return r, err
	case !r.Overlaps(multicast):
		return r, p.fail(n, ErrSyntax, "%s never matches: it has no multicast group", n.Value)
	case within(r, linkLocal):
		return r, p.fail(n, ErrSyntax, "%s never matches: what is in %v goes to every port, and is not joined", n.Value, linkLocal)
	}
	return r, nil
}

// sources reads a range that packets can come from.
func (p parser) sources(n *yaml.Node) (netip.Prefix, error) {
	r, err := p.prefix(n)
	if err == nil && (within(r, multicast) || r.IsSingleIP() && !isSource(r.Addr())) {
		err = p.fail(n, ErrSyntax, "%s never matches: no packet comes from there", n.Value)
	}
	return r, err
}

// group reads one that can be joined.
func (p parser) group(n *yaml.Node) (netip.Addr, error) {
	a, err := p.addr(n)
	switch {
	case err != nil:
		return a, err
	case !a.IsMulticast():
		return a, p.fail(n, ErrSyntax, "%s is no multicast group", n.Value)
	case linkLocal.Contains(a):
		return a, p.fail(n, ErrSyntax, "%s is not joined: what is in %v goes to every port", n.Value, linkLocal)
	}
	return a, nil
}

// lastVLAN that there is: 4095 is reserved (IEEE 802.1Q 9.6).
const lastVLAN = 4094

// vlan reads the number of a VLAN; 0 is that of packets without a tag.
func (p parser) vlan(n *yaml.Node) (uint32, error) {
	vlan, err := strconv.ParseUint(n.Value, 10, 12)
	if err != nil || vlan > lastVLAN {
		return 0, p.fail(n, ErrSyntax, "%q is no VLAN", n.Value)
	}
	return uint32(vlan), nil
}

func (p parser) addr(n *yaml.Node) (netip.Addr, error) {
	a, err := netip.ParseAddr(n.Value)
	if err != nil || !a.Is4() {
		return a, p.fail(n, ErrSyntax, "%q is no IPv4 address", n.Value)
	}
	return a, nil
}

// prefix reads a range of addresses, or a single one.
func (p parser) prefix(n *yaml.Node) (netip.Prefix, error) {
	if a, err := netip.ParseAddr(n.Value); err == nil && a.Is4() {
		return netip.PrefixFrom(a, a.BitLen()), nil
	}
	r, err := netip.ParsePrefix(n.Value)
	if err != nil || !r.Addr().Is4() {
		return r, p.fail(n, ErrSyntax, "%q is no range of IPv4 addresses, such as 239.1.0.0/16", n.Value)
	}
	return r.Masked(), nil
}
