package ofgroup

import "strconv"

// Port is an OpenFlow port number, or one of the reserved ports.
type Port uint32

// The reserved ports (OpenFlow 1.5.1, 7.2.1.1).
const (
	PortIn         Port = 0xfffffff8 // back out of the port the packet came in by
	PortTable      Port = 0xfffffff9 // through the flow tables; packet-out only
	PortNormal     Port = 0xfffffffa // as a learning switch would
	PortFlood      Port = 0xfffffffb // every port that is not kept from flooding
	PortAll        Port = 0xfffffffc // every port but the one it came in by
	PortController Port = 0xfffffffd // to the controllers, whole, as a packet-in
	PortLocal      Port = 0xfffffffe // the bridge's own port
	PortAny        Port = 0xffffffff // no port: an absent watch port
)

// endOfPorts is the first number that no port of Open vSwitch can have: it keeps 16
// bits of a port, and maps the reserved ports down to 0xfff8 and up.
const endOfPorts Port = 0xff00

// String is the number in decimal, or ovs-ofctl's name of a reserved port.
func (p Port) String() string {
	switch p {
	case PortIn:
		return "IN_PORT"
	case PortTable:
		return "TABLE"
	case PortNormal:
		return "NORMAL"
	case PortFlood:
		return "FLOOD"
	case PortAll:
		return "ALL"
	case PortController:
		return "CONTROLLER"
	case PortLocal:
		return "LOCAL"
	case PortAny:
		return "ANY"
	default:
		return strconv.FormatUint(uint64(p), 10)
	}
}

// usable reports whether Open vSwitch takes p as a place to send to or to watch.
// PortAny is neither.
func (p Port) usable() bool {
	return p < endOfPorts || p >= PortIn && p != PortAny
}

// short is p in the 16 bits of Open vSwitch's own actions. Meant for usable ports.
func (p Port) short() uint16 { return uint16(p & 0xffff) }

// portOf is the port that has these 16 bits in Open vSwitch's own actions: the reserved
// ports, and no others, stand for those with 16 more bits before them.
func portOf(short uint16) Port {
	if p := Port(short); p < endOfPorts {
		return p
	}
	return 0xffff0000 | Port(short)
}
