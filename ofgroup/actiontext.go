package ofgroup

import (
	"encoding/hex"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"

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
	return actionText(a.encoding())
}

// actionText prints one encoded action.
//
// To add one: a case here or in shortActionText, its constructor beside Output, and a
// recorded message that has it into recordedActions of the tests.
func actionText(a string) string {
	text, ok := "", false
	switch typ := be16(a); {
	case typ == openflow.ActionSetField:
		text, ok = setFieldText(a)
	case typ == openflow.ActionOutput && len(a) == outputLen:
		text, ok = outputText(a), true
	case len(a) == shortestActionLen:
		text, ok = shortActionText(typ, a[offActionBody:])
	case strings.HasPrefix(a, resubmitHead):
		// The reserved ports have 16 bits here: extend their sign.
		text, ok = resubmitText(Port(int16(be16(a[offResubmitPort:]))), a[offResubmitTable]), true
	default:
		text, ok = controllerText(a)
	}
	if !ok {
		return "raw:" + hex.EncodeToString([]byte(a))
	}
	return text
}

// resubmitHead starts a resubmit: type, length, vendor, subtype.
const resubmitHead = "\xff\xff\x00\x10\x00\x00\x23\x20\x00\x0e"

// shortActionText prints an action that has at most 4 bytes to say.
func shortActionText(typ uint16, body string) (string, bool) {
	switch typ {
	case openflow.ActionGroup:
		return "group:" + ID(be32(body)).String(), true
	case openflow.ActionPushVLAN:
		return fmt.Sprintf("push_vlan:0x%04x", be16(body)), true
	case openflow.ActionPopVLAN:
		return "pop_vlan", true
	case openflow.ActionSetQueue:
		return fmt.Sprintf("set_queue:%d", be32(body)), true
	case openflow.ActionDecTTL:
		return "dec_ttl", true
	case openflow.ActionMeter:
		return fmt.Sprintf("meter:%d", be32(body)), true
	default:
		return "", false
	}
}

func outputText(a string) string {
	p := Port(be32(a[offActionBody:]))
	switch {
	case p == PortController:
		return "CONTROLLER:" + strconv.Itoa(int(be16(a[offOutputMaxLen:])))
	case p >= PortIn:
		return p.String()
	default:
		return "output:" + p.String()
	}
}

// resubmitText prints a resubmit.
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
	if f == nil || h != f.oxm && h != f.oxm.Masked() || align(end) != len(a) {
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
