package snooper

import (
	"net/netip"
	"slices"
	"strconv"
)

// Check says how much is asked of one property of a message. The zero value is the default, which the standards and
// what is seen on wires decided for each property; it stands in the comment of the property's field in Checks.
type Check uint8

const (
	// CheckDefault asks what the field's comment says.
	CheckDefault Check = iota
	// CheckStrict takes only what a sender may send.
	CheckStrict
	// CheckOff takes anything.
	CheckOff
)

// String returns "default", "strict" or "off", Check(0x..) for an unknown value.
func (c Check) String() string {
	switch c {
	case CheckDefault:
		return "default"
	case CheckStrict:
		return "strict"
	case CheckOff:
		return "off"
	}
	return "Check(0x" + strconv.FormatUint(uint64(c)>>4, 16) + strconv.FormatUint(uint64(c)&0xf, 16) + ")"
}

// orElse resolves the default. What is no Check is strict: a wrong setting must not open anything.
func (c Check) orElse(usual Check) Check {
	switch c {
	case CheckDefault:
		return usual
	case CheckOff:
		return CheckOff
	}
	return CheckStrict
}

// Checks says which well-formed messages are taken. A message that fails one is ignored under the verdict named with
// the field, and goes nowhere; the exception stands at Destination. They hold for ports of every role. Messages of
// unknown types, and data, are not checked. The zero value takes what real hosts and switches send.
type Checks struct {
	// TTL must be 1: every IGMP message (RFC 9776 4), router discovery and PIM hello (RFC 7761 4.9) is sent so, and
	// another can have crossed routers. Default off: the RFCs ask it of senders. IgnoredTTL.
	TTL Check
	// RouterAlert must be among the IPv4 options of IGMPv2 and IGMPv3 messages (RFC 9776 9.1 to 9.3) and of router
	// discovery (RFC 4286 3 to 5). IGMPv1 messages, DVMRP and PIM do not have it. Default off, because many switches
	// query and many hosts report without it. IgnoredNoRouterAlert.
	RouterAlert Check
	// Destination must be an address that the message can be sent to. IgnoredDestination. By default, and what
	// CheckStrict asks beyond it:
	//
	//   - general query, of every version: 224.0.0.1 alone. Receivers should ignore one sent to another group
	//     (RFC 9776 9.1). One sent to a single host must be taken by that host (RFC 9776 4.1.12), and so is
	//     forwarded as the unicast packet that it is; but other members do not hear it, so their timers must not
	//     follow it, and it may come from far away, so it is no sign of a router.
	//   - specific query: the group, or 224.0.0.1, as Linux bridges send it; strict: the group alone
	//     (RFC 9776 4.1.12). Whatever else it is sent to, the members would not hear it. Unicast as above.
	//   - IGMPv1 and IGMPv2 report: anything, because a router must take one sent to any of its own addresses
	//     (RFC 9776 4.2.15); strict: the group
	//   - IGMPv3 report: anything; strict: 224.0.0.22 (RFC 9776 4.2.15)
	//   - leave: 224.0.0.2, or the group, as old hosts send it (RFC 2236 9)
	//   - router advertisement and termination: 224.0.0.106 alone (RFC 4286 3, 5)
	Destination Check
	// Source must be an address that a packet can come from, neither multicast nor broadcast. Default strict
	// (RFC 1122 3.2.1.3). IgnoredSource.
	Source Check
	// Unspecified: reports and leaves must not come from 0.0.0.0. Default off, because a router must take reports of
	// hosts that have no address yet (RFC 9776 4.2.14). Queries from there are those of switches; see Query.Proxy.
	// IgnoredUnspecified.
	Unspecified Check
	// SenderMAC must be a station's own: the group bit is not set (IEEE 802.3 3.2.3). Default off. IgnoredSenderMAC.
	SenderMAC Check
	// VLAN: no tag has the ID 4095, which is reserved (IEEE 802.1Q 9.6). Default off, because what passes a switch
	// port with it is the switch's decision. IgnoredVLAN.
	VLAN Check

	// Subnets are where reports and leaves must come from (RFC 9776 9.2, 9.3); 0.0.0.0 always may, as far as
	// Unspecified lets it. None means from anywhere: hosts may have several addresses, and memberships are those of
	// ports. IgnoredSubnet.
	Subnets []netip.Prefix
}

// StrictChecks returns Checks with everything strict, and no Subnets.
func StrictChecks() Checks {
	return Checks{
		TTL: CheckStrict, RouterAlert: CheckStrict, Destination: CheckStrict, Source: CheckStrict,
		Unspecified: CheckStrict, SenderMAC: CheckStrict, VLAN: CheckStrict,
	}
}

// withDefaults leaves CheckDefault to Destination alone, where it is a meaning of its own.
func (c Checks) withDefaults() Checks {
	return Checks{
		TTL:         c.TTL.orElse(CheckOff),
		RouterAlert: c.RouterAlert.orElse(CheckOff),
		Destination: c.Destination.orElse(CheckDefault),
		Source:      c.Source.orElse(CheckStrict),
		Unspecified: c.Unspecified.orElse(CheckOff),
		SenderMAC:   c.SenderMAC.orElse(CheckOff),
		VLAN:        c.VLAN.orElse(CheckOff),
		Subnets:     slices.Clone(c.Subnets),
	}
}
