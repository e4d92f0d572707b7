package ofgrouptest

// need is what a field or an action asks of the packet: that the match, or an action before
// it, has seen to it.
type need uint8

const (
	needNothing need = iota
	needVLAN
	needIPv4
	needIPv6
	needIP
	needARP
	needMPLS
	needTCP
	needUDP
	needSCTP
	needICMPv4
	needICMPv6
	needND          // neighbour solicitation or advertisement
	needNDSolicit   // neighbour solicitation
	needNDAdvertise // neighbour advertisement
)

// matchRule is what Open vSwitch holds a field to in a match.
type matchRule struct {
	exact bool // takes no mask but that of all its bits
	needs need
}

const fieldInPort = basic | 0

// matchRules are the fields that are held to anything. Each row was found by matching on
// the field on Open vSwitch 3.1, with masks, and with and without each need.
var matchRules = map[uint32]matchRule{
	basic | 0: {exact: true}, basic | 5: {exact: true},
	basic | 7: {true, needVLAN}, basic | 8: {true, needIP}, basic | 9: {true, needIP}, basic | 10: {true, needIP},
	basic | 11: {false, needIPv4}, basic | 12: {false, needIPv4},
	basic | 13: {false, needTCP}, basic | 14: {false, needTCP},
	basic | 15: {false, needUDP}, basic | 16: {false, needUDP},
	basic | 17: {false, needSCTP}, basic | 18: {false, needSCTP},
	basic | 19: {true, needICMPv4}, basic | 20: {true, needICMPv4},
	basic | 21: {true, needARP}, basic | 22: {false, needARP}, basic | 23: {false, needARP},
	basic | 24: {false, needARP}, basic | 25: {false, needARP},
	basic | 26: {false, needIPv6}, basic | 27: {false, needIPv6}, basic | 28: {false, needIPv6},
	basic | 29: {true, needICMPv6}, basic | 30: {true, needICMPv6},
	basic | 31: {false, needND}, basic | 32: {false, needNDSolicit}, basic | 33: {false, needNDAdvertise},
	basic | 34: {true, needMPLS}, basic | 35: {true, needMPLS}, basic | 36: {true, needMPLS},
	basic | 42: {false, needTCP}, basic | 43: {exact: true}, basic | 44: {exact: true},

	nxm1 | 26: {false, needIP}, nxm1 | 29: {true, needIP}, nxm1 | 30: {true, needMPLS},
	nxm1 | 36: {exact: true}, nxm1 | 37: {exact: true}, nxm1 | 106: {exact: true}, nxm1 | 119: {exact: true},

	nxm0 | 0: {exact: true}, nxm0 | 5: {true, needIP},
}

// Ethernet types and IP protocols that needs name.
const (
	ethIPv4 = 0x0800
	ethARP  = 0x0806
	ethRARP = 0x8035
	ethIPv6 = 0x86dd
	ethMPLS = 0x8847
	ethMPLM = 0x8848 // MPLS multicast

	protoICMPv4 = 1
	protoTCP    = 6
	protoUDP    = 17
	protoICMPv6 = 58
	protoSCTP   = 132

	ndSolicit   = 135
	ndAdvertise = 136
)

// facts is what is known of every packet of a flow; a number below zero is not known.
type facts struct {
	eth, proto, icmpType, icmpCode int
	tags                           int // VLAN tags it has at least
}

func (m match) facts() facts {
	f := facts{
		eth:      m.number(basic | 5),
		proto:    m.number(basic | 10),
		icmpType: m.number(basic | 29),
		icmpCode: m.number(basic | 30),
	}
	if c := m.find(fieldVLANVID); c != nil && be.Uint16(c.value)&vlanPresent != 0 {
		f.tags = 1
	}
	return f
}

// number is the value of a field of one or two bytes that is matched exactly, or -1.
func (m match) number(field uint32) int {
	c := m.find(field)
	switch {
	case c == nil:
		return -1
	case len(c.value) == 1:
		return int(c.value[0])
	}
	return int(be.Uint16(c.value))
}

func (f facts) ip() bool { return f.eth == ethIPv4 || f.eth == ethIPv6 }

func (f facts) meet(n need) bool {
	icmp6 := f.eth == ethIPv6 && f.proto == protoICMPv6
	nd := icmp6 && f.icmpCode <= 0
	switch n {
	case needVLAN:
		return f.tags > 0
	case needIPv4:
		return f.eth == ethIPv4
	case needIPv6:
		return f.eth == ethIPv6
	case needIP:
		return f.ip()
	case needARP:
		return f.eth == ethARP || f.eth == ethRARP
	case needMPLS:
		return f.eth == ethMPLS || f.eth == ethMPLM
	case needTCP:
		return f.ip() && f.proto == protoTCP
	case needUDP:
		return f.ip() && f.proto == protoUDP
	case needSCTP:
		return f.ip() && f.proto == protoSCTP
	case needICMPv4:
		return f.eth == ethIPv4 && f.proto == protoICMPv4
	case needICMPv6:
		return icmp6
	case needND:
		return nd && (f.icmpType == ndSolicit || f.icmpType == ndAdvertise)
	case needNDSolicit:
		return nd && f.icmpType == ndSolicit
	case needNDAdvertise:
		return nd && f.icmpType == ndAdvertise
	}
	return true
}
