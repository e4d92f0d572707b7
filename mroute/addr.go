package mroute

import (
	"errors"
	"fmt"
	"net/netip"
)

// SG is what the kernel keeps a route by: a source and a group. The unspecified address (netip.IPv4Unspecified) stands for
// any source, (*,G), and beside that for any group too, (*,*).
type SG struct {
	// Source is a unicast address, or any.
	Source netip.Addr
	// Group is a multicast address, or any.
	Group netip.Addr
}

// String is "(198.51.100.1, 233.252.0.1)" or "(*, 233.252.0.1)".
func (k SG) String() string { return fmt.Sprintf("(%s, %s)", orStar(k.Source), orStar(k.Group)) }

func orStar(a netip.Addr) string {
	if a.IsUnspecified() {
		return "*"
	}
	return a.String()
}

// Wildcard says that the source is any: (*,G) or (*,*).
func (k SG) Wildcard() bool { return k.Source.IsUnspecified() }

// plain returns k with its addresses in the one form that is used as a key, or why there can be no such route.
func (k SG) plain() (SG, error) {
	source, err := plainSource(k.Source)
	if err != nil {
		return SG{}, err
	}
	if source.IsUnspecified() && k.Group.Unmap() == source {
		return SG{Source: source, Group: source}, nil
	}
	group, err := plainGroup(k.Group)
	if err != nil {
		return SG{}, err
	}
	return SG{Source: source, Group: group}, nil
}

var linkLocal = netip.MustParsePrefix("224.0.0.0/24")

func plainGroup(a netip.Addr) (netip.Addr, error) {
	a, err := plain4(a)
	switch {
	case err != nil:
		return a, err
	case !a.IsMulticast():
		return a, fmt.Errorf("%w: %s is not multicast", ErrAddress, a.String())
	case linkLocal.Contains(a):
		return a, ErrLinkLocal
	}
	return a, nil
}

func plainSource(a netip.Addr) (netip.Addr, error) {
	a, err := plain4(a)
	switch {
	case err != nil:
		return a, err
	case a.IsMulticast():
		return a, fmt.Errorf("%w: %s is not a source", ErrAddress, a.String())
	}
	return a, nil
}

// plain4 takes IPv4 also as mapped into IPv6. Real IPv6 is for a system call that is not made yet.
func plain4(a netip.Addr) (netip.Addr, error) {
	a = a.Unmap()
	switch {
	case !a.IsValid():
		return a, fmt.Errorf("%w: no address", ErrAddress)
	case a.Is6():
		return a, fmt.Errorf("%w: IPv6: %w", ErrAddress, errors.ErrUnsupported)
	}
	return a, nil
}
