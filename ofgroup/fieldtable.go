package ofgroup

import "github.com/ofmcast/ofmcast/internal/openflow"

// What the switch keeps beside the packet. Reg, XReg and XXReg are the registers.
const (
	_ Field = iota

	TunID      // tunnel key or VNI, 64 bits
	TunSrc     // outer IPv4 source
	TunDst     // outer IPv4 destination
	TunIPv6Src // outer IPv6 source
	TunIPv6Dst // outer IPv6 destination
	Metadata   // 64 bits carried between tables
	InPort     // the port the packet came in by, 16 bits
	PktMark    // the Linux packet mark, 32 bits

	reg0
)

const (
	xreg0  = reg0 + 16
	xxreg0 = xreg0 + 8
)

// The fields of the packet itself.
const (
	EthSrc  Field = xxreg0 + 4 + iota // 48 bits
	EthDst                            // 48 bits
	EthType                           // 16 bits; cannot be set
	VLANVID                           // 13 bits: the VLAN and, as bit 12, that there is one
	VLANPCP                           // 3 bits, the VLAN priority
	IPSrc                             // IPv4 source
	IPDst                             // IPv4 destination
	IPv6Src                           // IPv6 source
	IPv6Dst                           // IPv6 destination
	IPProto                           // 8 bits; cannot be set
	IPDSCP                            // 6 bits
	TCPSrc                            // 16 bits
	TCPDst                            // 16 bits
	UDPSrc                            // 16 bits
	UDPDst                            // 16 bits
	SCTPSrc                           // 16 bits
	SCTPDst                           // 16 bits
)

// fieldForm is how a field's value is written, and which Go values fit it.
type fieldForm uint8

const (
	formHex fieldForm = iota
	formDecimal
	formMAC
	formIPv4
	formIPv6
)

// fieldSet is how far an action can write a field.
type fieldSet uint8

const (
	setNever fieldSet = iota // it can only be looked at
	setWhole
	setParts
)

// fieldInfo is one line of the field table.
type fieldInfo struct {
	name string       // ovs-ofctl's
	oxm  openflow.OXM // header in set_field, in either version
	nxm  openflow.OXM // header in loads and moves of OpenFlow 1.3
	bits int
	form fieldForm
	set  fieldSet
}

// fieldTable is the fields in the order in which Open vSwitch describes them, that of
// ovs-fields(7).
//
// To add one: put a constant into one of the lists above and its line here, both where
// that order has it, and a recorded message that sets it into recordedSets of the tests.
var fieldTable = [...]fieldInfo{
	TunID:      {"tun_id", basic(38, 8), nxm1(16, 8), 64, formHex, setParts},
	TunSrc:     {"tun_src", nxm1(31, 4), nxm1(31, 4), 32, formIPv4, setParts},
	TunDst:     {"tun_dst", nxm1(32, 4), nxm1(32, 4), 32, formIPv4, setParts},
	TunIPv6Src: {"tun_ipv6_src", nxm1(109, 16), nxm1(109, 16), 128, formIPv6, setParts},
	TunIPv6Dst: {"tun_ipv6_dst", nxm1(110, 16), nxm1(110, 16), 128, formIPv6, setParts},
	Metadata:   {"metadata", basic(2, 8), basic(2, 8), 64, formHex, setParts},
	InPort:     {"in_port", nxm0(0, 2), nxm0(0, 2), 16, formDecimal, setWhole},
	PktMark:    {"pkt_mark", nxm1(33, 4), nxm1(33, 4), 32, formHex, setParts},

	reg0:      reg("reg0", 0),
	reg0 + 1:  reg("reg1", 1),
	reg0 + 2:  reg("reg2", 2),
	reg0 + 3:  reg("reg3", 3),
	reg0 + 4:  reg("reg4", 4),
	reg0 + 5:  reg("reg5", 5),
	reg0 + 6:  reg("reg6", 6),
	reg0 + 7:  reg("reg7", 7),
	reg0 + 8:  reg("reg8", 8),
	reg0 + 9:  reg("reg9", 9),
	reg0 + 10: reg("reg10", 10),
	reg0 + 11: reg("reg11", 11),
	reg0 + 12: reg("reg12", 12),
	reg0 + 13: reg("reg13", 13),
	reg0 + 14: reg("reg14", 14),
	reg0 + 15: reg("reg15", 15),

	xreg0:     xreg("xreg0", 0),
	xreg0 + 1: xreg("xreg1", 1),
	xreg0 + 2: xreg("xreg2", 2),
	xreg0 + 3: xreg("xreg3", 3),
	xreg0 + 4: xreg("xreg4", 4),
	xreg0 + 5: xreg("xreg5", 5),
	xreg0 + 6: xreg("xreg6", 6),
	xreg0 + 7: xreg("xreg7", 7),

	xxreg0:     xxreg("xxreg0", 0),
	xxreg0 + 1: xxreg("xxreg1", 1),
	xxreg0 + 2: xxreg("xxreg2", 2),
	xxreg0 + 3: xxreg("xxreg3", 3),

	EthSrc:  {"eth_src", basic(4, 6), nxm0(2, 6), 48, formMAC, setParts},
	EthDst:  {"eth_dst", basic(3, 6), nxm0(1, 6), 48, formMAC, setParts},
	EthType: {"eth_type", basic(5, 2), nxm0(3, 2), 16, formHex, setNever},
	VLANVID: {"vlan_vid", basic(6, 2), basic(6, 2), 13, formDecimal, setWhole},
	VLANPCP: {"vlan_pcp", basic(7, 1), basic(7, 1), 3, formDecimal, setWhole},
	IPSrc:   {"ip_src", basic(11, 4), nxm0(7, 4), 32, formIPv4, setParts},
	IPDst:   {"ip_dst", basic(12, 4), nxm0(8, 4), 32, formIPv4, setParts},
	IPv6Src: {"ipv6_src", basic(26, 16), nxm1(19, 16), 128, formIPv6, setParts},
	IPv6Dst: {"ipv6_dst", basic(27, 16), nxm1(20, 16), 128, formIPv6, setParts},
	IPProto: {"nw_proto", basic(10, 1), nxm0(6, 1), 8, formDecimal, setNever},
	IPDSCP:  {"ip_dscp", basic(8, 1), basic(8, 1), 6, formDecimal, setWhole},
	TCPSrc:  {"tcp_src", basic(13, 2), nxm0(9, 2), 16, formDecimal, setParts},
	TCPDst:  {"tcp_dst", basic(14, 2), nxm0(10, 2), 16, formDecimal, setParts},
	UDPSrc:  {"udp_src", basic(15, 2), nxm0(11, 2), 16, formDecimal, setParts},
	UDPDst:  {"udp_dst", basic(16, 2), nxm0(12, 2), 16, formDecimal, setParts},
	SCTPSrc: {"sctp_src", basic(17, 2), basic(17, 2), 16, formDecimal, setParts},
	SCTPDst: {"sctp_dst", basic(18, 2), basic(18, 2), 16, formDecimal, setParts},
}

func basic(field uint8, n int) openflow.OXM { return openflow.NewOXM(openflow.ClassBasic, field, n) }
func nxm0(field uint8, n int) openflow.OXM  { return openflow.NewOXM(openflow.ClassNXM0, field, n) }
func nxm1(field uint8, n int) openflow.OXM  { return openflow.NewOXM(openflow.ClassNXM1, field, n) }

func reg(name string, n uint8) fieldInfo {
	return fieldInfo{name, nxm1(n, 4), nxm1(n, 4), 32, formHex, setParts}
}

func xreg(name string, n uint8) fieldInfo {
	h := openflow.NewOXM(openflow.ClassPacketRegs, n, 8)
	return fieldInfo{name, h, h, 64, formHex, setParts}
}

func xxreg(name string, n uint8) fieldInfo {
	const xxreg0Number = 111
	h := nxm1(xxreg0Number+n, 16)
	return fieldInfo{name, h, h, 128, formHex, setParts}
}
