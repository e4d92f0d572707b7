package ofgroup

import "github.com/ofmcast/ofmcast/internal/openflow"

// What the switch keeps beside the packet. Reg, XReg and XXReg are the registers.
const (
	_ Field = iota

	PacketType  // 32 bits: name space and type; cannot be set
	ConjID      // the conjunction that matched, 32 bits; cannot be set
	TunID       // tunnel key or VNI, 64 bits
	TunSrc      // outer IPv4 source
	TunDst      // outer IPv4 destination
	TunIPv6Src  // outer IPv6 source
	TunIPv6Dst  // outer IPv6 destination
	TunFlags    // 1 bit: whether it is an OAM packet
	TunGBPID    // VXLAN group policy: 16 bits
	TunGBPFlags // VXLAN group policy: 8 bits
	Metadata    // 64 bits carried between tables
	InPort      // the port the packet came in by, 16 bits
	PktMark     // the Linux packet mark, 32 bits
	CTState     // what is known of the connection, 32 bits; cannot be set
	CTZone      // the connection's zone, 16 bits; cannot be set
	CTMark      // the connection's mark, 32 bits; can be set within CT only
	CTLabel     // the connection's label, 128 bits; can be set within CT only
	CTProto     // IP protocol of the connection's first packet; like what follows, it cannot be set
	CTSrc       // ... its IPv4 source
	CTDst       // ... its IPv4 destination
	CTIPv6Src   // ... its IPv6 source
	CTIPv6Dst   // ... its IPv6 destination
	CTSrcPort   // ... its source port, 16 bits
	CTDstPort   // ... its destination port, 16 bits

	reg0
)

const (
	xreg0  = reg0 + 16
	xxreg0 = xreg0 + 8
)

// The fields of the packet itself.
const (
	EthSrc     Field = xxreg0 + 4 + iota // 48 bits
	EthDst                               // 48 bits
	EthType                              // 16 bits; cannot be set
	VLANTCI                              // the VLAN tag as it is, 16 bits
	VLANVID                              // 13 bits: the VLAN and, as bit 12, that there is one, which Copy leaves out
	VLANPCP                              // 3 bits, the VLAN priority
	MPLSLabel                            // 20 bits
	MPLSTC                               // 3 bits, the traffic class
	MPLSBOS                              // 1 bit, bottom of stack; cannot be set
	MPLSTTL                              // 8 bits
	IPSrc                                // IPv4 source
	IPDst                                // IPv4 destination
	IPv6Src                              // IPv6 source
	IPv6Dst                              // IPv6 destination
	IPv6Label                            // the flow label, 20 bits
	IPProto                              // 8 bits; cannot be set
	IPTOS                                // 8 bits, of which the two lowest, those of IPECN, must be 0
	IPDSCP                               // 6 bits
	IPECN                                // 2 bits
	IPTTL                                // TTL, or hop limit of IPv6, 8 bits
	IPFrag                               // 2 bits: a fragment, and not the first; cannot be set
	ARPOp                                // 8 bits, in a field of 16
	ARPSPA                               // IPv4 address of the sender
	ARPTPA                               // IPv4 address of the target
	ARPSHA                               // MAC address of the sender
	ARPTHA                               // MAC address of the target
	TCPSrc                               // 16 bits
	TCPDst                               // 16 bits
	TCPFlags                             // 12 bits; cannot be set
	UDPSrc                               // 16 bits
	UDPDst                               // 16 bits
	SCTPSrc                              // 16 bits
	SCTPDst                              // 16 bits
	ICMPType                             // 8 bits
	ICMPCode                             // 8 bits
	ICMPv6Type                           // 8 bits
	ICMPv6Code                           // 8 bits
	NDTarget                             // the IPv6 address that neighbour discovery is about
	NDSLL                                // MAC address of the asking side
	NDTLL                                // MAC address of the answering side
)

// fieldForm is how a field's value is written, and which Go values fit it.
type fieldForm uint8

const (
	formHex fieldForm = iota
	formDecimal
	formMAC
	formIPv4
	formIPv6
	formPort     // 16 bits of a port
	formTunFlags // the one flag by its name
)

// fieldSet is how far an action can write a field, and a match or a selection method can
// look at parts of it.
type fieldSet uint8

const (
	setNever  fieldSet = iota // it can only be looked at, whole
	readParts                 // it can only be looked at, also at parts of it
	setWhole                  // both, but whole
	setParts
	setInCT // parts too, but only by the actions within CT
)

// fieldInfo is one line of the field table.
type fieldInfo struct {
	name string       // ovs-ofctl's in set_field and in flows
	long string       // ovs-ofctl's in move, load, output and ct(zone)
	oxm  openflow.OXM // header in set_field, in either version
	nxm  openflow.OXM // header in loads and moves of OpenFlow 1.3, and in Open vSwitch's own actions
	bits int
	form fieldForm
	set  fieldSet
}

// fieldTable is the fields in the order in which Open vSwitch describes them, that of
// its own list of fields (enum mf_field_id). The names, numbers, widths and what can be
// written are those of ovs-fields(7).
//
// To add one: put a constant into one of the lists above and its line here, both where
// that order has it; its place in matchOrder; and one value for it in the test's
// fieldSamples. The tests then hold it against ovs-ofctl.
var fieldTable = [...]fieldInfo{
	PacketType:  {"packet_type", "OXM_OF_PACKET_TYPE", basic(44, 4), basic(44, 4), 32, formHex, setNever},
	ConjID:      {"conj_id", "NXM_NX_CONJ_ID", nxm1(37, 4), nxm1(37, 4), 32, formDecimal, setNever},
	TunID:       {"tun_id", "NXM_NX_TUN_ID", basic(38, 8), nxm1(16, 8), 64, formHex, setParts},
	TunSrc:      {"tun_src", "NXM_NX_TUN_IPV4_SRC", nxm1(31, 4), nxm1(31, 4), 32, formIPv4, setParts},
	TunDst:      {"tun_dst", "NXM_NX_TUN_IPV4_DST", nxm1(32, 4), nxm1(32, 4), 32, formIPv4, setParts},
	TunIPv6Src:  {"tun_ipv6_src", "NXM_NX_TUN_IPV6_SRC", nxm1(109, 16), nxm1(109, 16), 128, formIPv6, setParts},
	TunIPv6Dst:  {"tun_ipv6_dst", "NXM_NX_TUN_IPV6_DST", nxm1(110, 16), nxm1(110, 16), 128, formIPv6, setParts},
	TunFlags:    {"tun_flags", "NXM_NX_TUN_FLAGS", nxm1(104, 2), nxm1(104, 2), 1, formTunFlags, setParts},
	TunGBPID:    {"tun_gbp_id", "NXM_NX_TUN_GBP_ID", nxm1(38, 2), nxm1(38, 2), 16, formDecimal, setParts},
	TunGBPFlags: {"tun_gbp_flags", "NXM_NX_TUN_GBP_FLAGS", nxm1(39, 1), nxm1(39, 1), 8, formHex, setParts},
	Metadata:    {"metadata", "OXM_OF_METADATA", basic(2, 8), basic(2, 8), 64, formHex, setParts},
	InPort:      {"in_port", "NXM_OF_IN_PORT", nxm0(0, 2), nxm0(0, 2), 16, formPort, setWhole},
	PktMark:     {"pkt_mark", "NXM_NX_PKT_MARK", nxm1(33, 4), nxm1(33, 4), 32, formHex, setParts},
	CTState:     {"ct_state", "NXM_NX_CT_STATE", nxm1(105, 4), nxm1(105, 4), 32, formHex, readParts},
	CTZone:      {"ct_zone", "NXM_NX_CT_ZONE", nxm1(106, 2), nxm1(106, 2), 16, formHex, setNever},
	CTMark:      {"ct_mark", "NXM_NX_CT_MARK", nxm1(107, 4), nxm1(107, 4), 32, formHex, setInCT},
	CTLabel:     {"ct_label", "NXM_NX_CT_LABEL", nxm1(108, 16), nxm1(108, 16), 128, formHex, setInCT},
	CTProto:     {"ct_nw_proto", "NXM_NX_CT_NW_PROTO", nxm1(119, 1), nxm1(119, 1), 8, formDecimal, setNever},
	CTSrc:       {"ct_nw_src", "NXM_NX_CT_NW_SRC", nxm1(120, 4), nxm1(120, 4), 32, formIPv4, readParts},
	CTDst:       {"ct_nw_dst", "NXM_NX_CT_NW_DST", nxm1(121, 4), nxm1(121, 4), 32, formIPv4, readParts},
	CTIPv6Src:   {"ct_ipv6_src", "NXM_NX_CT_IPV6_SRC", nxm1(122, 16), nxm1(122, 16), 128, formIPv6, readParts},
	CTIPv6Dst:   {"ct_ipv6_dst", "NXM_NX_CT_IPV6_DST", nxm1(123, 16), nxm1(123, 16), 128, formIPv6, readParts},
	CTSrcPort:   {"ct_tp_src", "NXM_NX_CT_TP_SRC", nxm1(124, 2), nxm1(124, 2), 16, formDecimal, readParts},
	CTDstPort:   {"ct_tp_dst", "NXM_NX_CT_TP_DST", nxm1(125, 2), nxm1(125, 2), 16, formDecimal, readParts},

	reg0:      reg("0", 0),
	reg0 + 1:  reg("1", 1),
	reg0 + 2:  reg("2", 2),
	reg0 + 3:  reg("3", 3),
	reg0 + 4:  reg("4", 4),
	reg0 + 5:  reg("5", 5),
	reg0 + 6:  reg("6", 6),
	reg0 + 7:  reg("7", 7),
	reg0 + 8:  reg("8", 8),
	reg0 + 9:  reg("9", 9),
	reg0 + 10: reg("10", 10),
	reg0 + 11: reg("11", 11),
	reg0 + 12: reg("12", 12),
	reg0 + 13: reg("13", 13),
	reg0 + 14: reg("14", 14),
	reg0 + 15: reg("15", 15),

	xreg0:     xreg("0", 0),
	xreg0 + 1: xreg("1", 1),
	xreg0 + 2: xreg("2", 2),
	xreg0 + 3: xreg("3", 3),
	xreg0 + 4: xreg("4", 4),
	xreg0 + 5: xreg("5", 5),
	xreg0 + 6: xreg("6", 6),
	xreg0 + 7: xreg("7", 7),

	xxreg0:     xxreg("0", 0),
	xxreg0 + 1: xxreg("1", 1),
	xxreg0 + 2: xxreg("2", 2),
	xxreg0 + 3: xxreg("3", 3),

	EthSrc:     {"eth_src", "NXM_OF_ETH_SRC", basic(4, 6), nxm0(2, 6), 48, formMAC, setParts},
	EthDst:     {"eth_dst", "NXM_OF_ETH_DST", basic(3, 6), nxm0(1, 6), 48, formMAC, setParts},
	EthType:    {"eth_type", "NXM_OF_ETH_TYPE", basic(5, 2), nxm0(3, 2), 16, formHex, setNever},
	VLANTCI:    {"vlan_tci", "NXM_OF_VLAN_TCI", nxm0(4, 2), nxm0(4, 2), 16, formHex, setParts},
	VLANVID:    {"vlan_vid", "OXM_OF_VLAN_VID", basic(6, 2), basic(6, 2), 13, formDecimal, setWhole},
	VLANPCP:    {"vlan_pcp", "OXM_OF_VLAN_PCP", basic(7, 1), basic(7, 1), 3, formDecimal, setWhole},
	MPLSLabel:  {"mpls_label", "OXM_OF_MPLS_LABEL", basic(34, 4), basic(34, 4), 20, formDecimal, setWhole},
	MPLSTC:     {"mpls_tc", "OXM_OF_MPLS_TC", basic(35, 1), basic(35, 1), 3, formDecimal, setWhole},
	MPLSBOS:    {"mpls_bos", "OXM_OF_MPLS_BOS", basic(36, 1), basic(36, 1), 1, formDecimal, setNever},
	MPLSTTL:    {"mpls_ttl", "NXM_NX_MPLS_TTL", nxm1(30, 1), nxm1(30, 1), 8, formDecimal, setWhole},
	IPSrc:      {"ip_src", "NXM_OF_IP_SRC", basic(11, 4), nxm0(7, 4), 32, formIPv4, setParts},
	IPDst:      {"ip_dst", "NXM_OF_IP_DST", basic(12, 4), nxm0(8, 4), 32, formIPv4, setParts},
	IPv6Src:    {"ipv6_src", "NXM_NX_IPV6_SRC", basic(26, 16), nxm1(19, 16), 128, formIPv6, setParts},
	IPv6Dst:    {"ipv6_dst", "NXM_NX_IPV6_DST", basic(27, 16), nxm1(20, 16), 128, formIPv6, setParts},
	IPv6Label:  {"ipv6_label", "NXM_NX_IPV6_LABEL", basic(28, 4), nxm1(27, 4), 20, formHex, setParts},
	IPProto:    {"nw_proto", "NXM_OF_IP_PROTO", basic(10, 1), nxm0(6, 1), 8, formDecimal, setNever},
	IPTOS:      {"nw_tos", "NXM_OF_IP_TOS", nxm0(5, 1), nxm0(5, 1), 8, formDecimal, setWhole},
	IPDSCP:     {"ip_dscp", "OXM_OF_IP_DSCP", basic(8, 1), basic(8, 1), 6, formDecimal, setWhole},
	IPECN:      {"nw_ecn", "NXM_NX_IP_ECN", basic(9, 1), nxm1(28, 1), 2, formDecimal, setWhole},
	IPTTL:      {"nw_ttl", "NXM_NX_IP_TTL", nxm1(29, 1), nxm1(29, 1), 8, formDecimal, setWhole},
	IPFrag:     {"ip_frag", "NXM_NX_IP_FRAG", nxm1(26, 1), nxm1(26, 1), 2, formHex, readParts},
	ARPOp:      {"arp_op", "NXM_OF_ARP_OP", basic(21, 2), nxm0(15, 2), 16, formDecimal, setWhole},
	ARPSPA:     {"arp_spa", "NXM_OF_ARP_SPA", basic(22, 4), nxm0(16, 4), 32, formIPv4, setParts},
	ARPTPA:     {"arp_tpa", "NXM_OF_ARP_TPA", basic(23, 4), nxm0(17, 4), 32, formIPv4, setParts},
	ARPSHA:     {"arp_sha", "NXM_NX_ARP_SHA", basic(24, 6), nxm1(17, 6), 48, formMAC, setParts},
	ARPTHA:     {"arp_tha", "NXM_NX_ARP_THA", basic(25, 6), nxm1(18, 6), 48, formMAC, setParts},
	TCPSrc:     {"tcp_src", "NXM_OF_TCP_SRC", basic(13, 2), nxm0(9, 2), 16, formDecimal, setParts},
	TCPDst:     {"tcp_dst", "NXM_OF_TCP_DST", basic(14, 2), nxm0(10, 2), 16, formDecimal, setParts},
	TCPFlags:   {"tcp_flags", "NXM_NX_TCP_FLAGS", basic(42, 2), nxm1(34, 2), 12, formHex, readParts},
	UDPSrc:     {"udp_src", "NXM_OF_UDP_SRC", basic(15, 2), nxm0(11, 2), 16, formDecimal, setParts},
	UDPDst:     {"udp_dst", "NXM_OF_UDP_DST", basic(16, 2), nxm0(12, 2), 16, formDecimal, setParts},
	SCTPSrc:    {"sctp_src", "OXM_OF_SCTP_SRC", basic(17, 2), basic(17, 2), 16, formDecimal, setParts},
	SCTPDst:    {"sctp_dst", "OXM_OF_SCTP_DST", basic(18, 2), basic(18, 2), 16, formDecimal, setParts},
	ICMPType:   {"icmp_type", "NXM_OF_ICMP_TYPE", basic(19, 1), nxm0(13, 1), 8, formDecimal, setWhole},
	ICMPCode:   {"icmp_code", "NXM_OF_ICMP_CODE", basic(20, 1), nxm0(14, 1), 8, formDecimal, setWhole},
	ICMPv6Type: {"icmpv6_type", "NXM_NX_ICMPV6_TYPE", basic(29, 1), nxm1(21, 1), 8, formDecimal, setWhole},
	ICMPv6Code: {"icmpv6_code", "NXM_NX_ICMPV6_CODE", basic(30, 1), nxm1(22, 1), 8, formDecimal, setWhole},
	NDTarget:   {"nd_target", "NXM_NX_ND_TARGET", basic(31, 16), nxm1(23, 16), 128, formIPv6, setParts},
	NDSLL:      {"nd_sll", "NXM_NX_ND_SLL", basic(32, 6), nxm1(24, 6), 48, formMAC, setParts},
	NDTLL:      {"nd_tll", "NXM_NX_ND_TLL", basic(33, 6), nxm1(25, 6), 48, formMAC, setParts},
}
