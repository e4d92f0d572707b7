package ofgroup

import (
	"encoding/hex"
	"fmt"
	"net"
	"net/netip"
	"strconv"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// String is the action as ovs-ofctl prints it, or, for one that this package does not
// know, "raw:" and its bytes in hexadecimal, which ovs-ofctl does not take.
func (a Action) String() string {
	if a.fault != nil {
		return "Action(" + a.fault.Error() + ")"
	}
	if a.len() == 0 {
		return "drop"
	}
	return actionText(string(a.appendTo(nil)))
}

// actionText prints one encoded action.
//
// To add one: a case here, its constructor beside Output, and a recorded message that has
// it in TestActionsMatchRecordedBytes.
func actionText(a string) string {
	switch typ := be16(a); {
	case typ == openflow.ActionOutput && len(a) == 16:
		return outputText(a)
	case typ == openflow.ActionGroup && len(a) == 8:
		return "group:" + ID(be32(a[offActionBody:])).String()
	case typ == openflow.ActionPushVLAN && len(a) == 8:
		return fmt.Sprintf("push_vlan:0x%04x", be16(a[offActionBody:]))
	case typ == openflow.ActionPopVLAN && len(a) == 8:
		return "pop_vlan"
	case typ == openflow.ActionSetQueue && len(a) == 8:
		return fmt.Sprintf("set_queue:%d", be32(a[offActionBody:]))
	case typ == openflow.ActionDecTTL && len(a) == 8:
		return "dec_ttl"
	case typ == openflow.ActionMeter && len(a) == 8:
		return fmt.Sprintf("meter:%d", be32(a[offActionBody:]))
	case typ == openflow.ActionSetField:
		if s, ok := setFieldText(a); ok {
			return s
		}
	case typ == openflow.ActionNicira && len(a) == 16 && be32(a[offActionBody:]) == openflow.NiciraVendor &&
		be16(a[8:]) == openflow.NiciraResubmitTable:
		return resubmitText(Port(int16(be16(a[10:]))), a[12])
	}
	return "raw:" + hex.EncodeToString([]byte(a))
}

func outputText(a string) string {
	p := Port(be32(a[offActionBody:]))
	switch {
	case p == PortController:
		return "CONTROLLER:" + strconv.Itoa(int(be16(a[8:])))
	case p >= PortIn:
		return p.String()
	default:
		return "output:" + p.String()
	}
}

// resubmitText prints a resubmit. Its reserved ports, in 16 bits, were extended to 32.
func resubmitText(p Port, table uint8) string {
	in, to := "", strconv.Itoa(int(table))
	if p != PortIn {
		in = p.String()
	}
	if p != PortIn && table == 0xff {
		return "resubmit:" + in
	}
	return "resubmit(" + in + "," + to + ")"
}

// setFieldText prints a set_field of a known field whose lengths agree.
func setFieldText(a string) (string, bool) {
	h := openflow.OXM(be32(a[offSetFieldOXM:]))
	f := fieldByOXM(h)
	n := h.ValueLen()
	end := offSetFieldValue + h.Len()
	if f == nil || h.Unmasked() != f.oxm || align(end) != len(a) {
		return "", false
	}
	s := "set_field:" + f.form.text(a[offSetFieldValue:offSetFieldValue+n])
	if h.HasMask() {
		s += "/" + f.form.maskText(a[offSetFieldValue+n:end])
	}
	return s + "->" + f.name, true
}

// text prints a value in network byte order.
func (f fieldForm) text(v string) string {
	switch f {
	case formMAC:
		return net.HardwareAddr(v).String()
	case formIPv4, formIPv6:
		a, _ := netip.AddrFromSlice([]byte(v))
		return a.String()
	case formDecimal:
		return strconv.FormatUint(uint128FromBytes(v).lo, 10)
	default:
		return uint128FromBytes(v).hex()
	}
}

// dottedText prints a mask as a value, but numbers always in hexadecimal.
func (f fieldForm) dottedText(v string) string {
	if f == formDecimal {
		return formHex.text(v)
	}
	return f.text(v)
}

// maskText is dottedText but for the mask of an address that is a prefix: its length.
func (f fieldForm) maskText(v string) string {
	if f == formIPv4 || f == formIPv6 {
		host := uint128FromBytes(v).xor(ones(8 * len(v)))
		if n := host.bitLen(); host == ones(n) {
			return strconv.Itoa(8*len(v) - n)
		}
	}
	return f.dottedText(v)
}
