package ofgrouptest

import (
	"encoding/hex"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// fieldNames are ovs-ofctl's names of fields.
var fieldNames = map[uint32]string{
	basic | 0: "in_port", basic | 2: "metadata", basic | 3: "dl_dst", basic | 4: "dl_src", basic | 5: "dl_type",
	basic | 6: "vlan_vid", basic | 7: "vlan_pcp", basic | 9: "nw_ecn", basic | 10: "nw_proto",
	basic | 11: "nw_src", basic | 12: "nw_dst", basic | 13: "tcp_src", basic | 14: "tcp_dst",
	basic | 15: "udp_src", basic | 16: "udp_dst", basic | 19: "icmp_type", basic | 20: "icmp_code",
	basic | 21: "arp_op", basic | 22: "arp_spa", basic | 23: "arp_tpa", basic | 26: "ipv6_src", basic | 27: "ipv6_dst",
	basic | 29: "icmpv6_type", basic | 30: "icmpv6_code", basic | 38: "tun_id",
	nxm1 | 29: "nw_ttl", nxm1 | 31: "tun_src", nxm1 | 32: "tun_dst", nxm1 | 33: "pkt_mark",
	nxm1 | 109: "tun_ipv6_src", nxm1 | 110: "tun_ipv6_dst",
}

// fieldName is the field's name, or its number.
func fieldName(number uint32) string {
	const registers = 16
	switch name, ok := fieldNames[number]; {
	case ok:
		return name
	case number >= nxm1 && number < nxm1+registers:
		return "reg" + strconv.Itoa(int(number-nxm1))
	}
	return fmt.Sprintf("field(0x%x:%d)", number>>16, number&0xffff)
}

// valueText is a value of a field as ovs-ofctl writes it.
func valueText(number uint32, v []byte) string {
	switch number {
	case basic | 3, basic | 4:
		return fmt.Sprintf("%x:%x:%x:%x:%x:%x", v[0], v[1], v[2], v[3], v[4], v[5])
	case basic | 11, basic | 12, basic | 22, basic | 23, basic | 26, basic | 27,
		nxm1 | 31, nxm1 | 32, nxm1 | 109, nxm1 | 110:
		a, _ := netip.AddrFromSlice(v)
		return a.String()
	case fieldInPort:
		return strconv.Itoa(int(be.Uint32(v)))
	}
	if n := strings.TrimLeft(hex.EncodeToString(v), "0"); n != "" {
		return "0x" + n
	}
	return "0"
}

// String is the match in ovs-ofctl's words where it has any.
func (m match) String() string {
	var words []string
	for _, c := range m {
		word := fieldName(c.number) + "=" + valueText(c.number, c.value)
		if string(c.mask) != string(setFields[c.number].fullMask()) {
			word += "/" + valueText(c.number, c.mask)
		}
		words = append(words, word)
	}
	return strings.Join(words, ",")
}

// String is the instructions likewise, and "drop" for none.
func (all instructions) String() string {
	words := actionWords(all.actions(applyActions))
	if all[clearActions] != nil {
		words = append(words, "clear_actions")
	}
	if all[writeActions] != nil {
		words = append(words, "write_actions("+strings.Join(actionWords(all.actions(writeActions)), ",")+")")
	}
	if m := all[writeMetadata]; m != nil {
		words = append(words, fmt.Sprintf("write_metadata:0x%x/0x%x", be.Uint64(m[8:]), be.Uint64(m[16:])))
	}
	if g := all[gotoTable]; g != nil {
		words = append(words, fmt.Sprintf("goto_table:%d", g[4]))
	}
	if len(words) == 0 {
		return "drop"
	}
	return strings.Join(words, ",")
}

func actionWords(actions []byte) []string {
	var words []string
	for a := range eachAction(actions) {
		words = append(words, actionWord(a))
	}
	return words
}

// actionWord is one action; those without a word here are in hex.
func actionWord(a []byte) string {
	argument := be.Uint32(a[actionHeader:])
	switch be.Uint16(a) {
	case openflow.ActionOutput:
		return "output:" + strconv.Itoa(int(argument))
	case openflow.ActionGroup:
		return "group:" + strconv.Itoa(int(argument))
	case openflow.ActionMeter:
		return "meter:" + strconv.Itoa(int(argument))
	case pushVLAN:
		return fmt.Sprintf("push_vlan:0x%x", argument>>16)
	case popVLAN:
		return "pop_vlan"
	case decIPTTL:
		return "dec_ttl"
	case openflow.ActionSetField:
		return setFieldWord(a)
	case openflow.ActionNicira:
		if be.Uint16(a[actionHeader+4:]) == openflow.NiciraResubmitTable && be.Uint16(a[niciraHeader:]) == 0xfff8 {
			return fmt.Sprintf("resubmit(,%d)", a[niciraHeader+2])
		}
	}
	return "action(" + hex.EncodeToString(a) + ")"
}

func setFieldWord(a []byte) string {
	const body = actionHeader + 4
	h := openflow.OXM(be.Uint32(a[actionHeader:]))
	f, _ := fieldOf(h)
	word := "set_field:" + valueText(f.number, a[body:body+f.size])
	if h.HasMask() {
		word += "/" + valueText(f.number, a[body+f.size:body+2*f.size])
	}
	return word + "->" + fieldName(f.number)
}
