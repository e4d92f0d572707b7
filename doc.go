// Package ofmcast is the root of a Go SDK for agents that run beside Open vSwitch. It holds no code:
// the work is done in four packages that never import one another, so that a host project takes the
// one it needs and nothing else.
//
//   - [github.com/ofmcast/ofmcast/ofgroup] describes an OpenFlow group as an immutable value and
//     changes the switch with exactly one GROUP_MOD a change.
//   - [github.com/ofmcast/ofmcast/igmp] is a codec for IGMPv1, v2 and v3, with a snooper and a querier on top of it.
//   - [github.com/ofmcast/ofmcast/mcast] keeps who is a member of which multicast group, and pushes
//     it into pluggable sinks.
//   - [github.com/ofmcast/ofmcast/mroute] has the Linux kernel route multicast, and joins groups on
//     outer interfaces.
//
// They share the standard library's vocabulary only: net/netip for addresses, time for instants,
// context for calls that wait, log/slog for logs and iter for reading out. They meet in the module
// under examples/, where the glue is short enough to be copied.
package ofmcast
