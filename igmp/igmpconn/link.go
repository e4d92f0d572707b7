package igmpconn

import (
	"fmt"
	"net"
	"net/netip"

	"github.com/ofmcast/ofmcast/igmp"
)

// Link is what a querier has to know of an interface: MAC, Addrs and MTU are fields of querier.Config.
type Link struct {
	// Name and Index are the interface's.
	Name  string
	Index int
	// Up says that it is up and not only there.
	Up bool
	// MAC is its address, zero if it has none.
	MAC igmp.MAC
	// Addrs are its IPv4 addresses, in the kernel's order, the primary one first.
	Addrs []netip.Addr
	// MTU is the size of the largest IPv4 packet.
	MTU int
}

// LinkByName looks at an interface as it is now. It works on every system. The error is an *Error around ErrNoInterface
// or what the system says.
func LinkByName(name string) (Link, error) {
	l, err := lookUp(name)
	if err != nil {
		return Link{}, &Error{Op: "look up", Interface: name, Err: err}
	}
	return l, nil
}

func lookUp(name string) (Link, error) {
	ifi, err := interfaceByName(name)
	if err != nil {
		return Link{}, err
	}
	addrs, err := ifi.Addrs()
	if err != nil {
		return Link{}, err
	}
	l := Link{Name: ifi.Name, Index: ifi.Index, Up: ifi.Flags&net.FlagUp != 0, MTU: ifi.MTU}
	if len(ifi.HardwareAddr) == len(l.MAC) {
		l.MAC = igmp.MAC(ifi.HardwareAddr)
	}
	for _, a := range addrs {
		if prefix, err := netip.ParsePrefix(a.String()); err == nil && prefix.Addr().Is4() {
			l.Addrs = append(l.Addrs, prefix.Addr())
		}
	}
	return l, nil
}

// interfaceByName tells a name that is not there from a list that cannot be had: package net has no error for it.
func interfaceByName(name string) (*net.Interface, error) {
	all, err := net.Interfaces()
	if err != nil {
		return nil, err
	}
	for i := range all {
		if all[i].Name == name {
			return &all[i], nil
		}
	}
	return nil, fmt.Errorf("%w: %w", ErrNoInterface, errNoDevice)
}
