package ofgroup

import (
	"net"
	"net/netip"
	"strconv"
)

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
	case formPort:
		return portOf(be16(v)).String()
	case formTunFlags:
		if be16(v) == tunOAM {
			return "oam"
		}
		return formHex.text(v)
	default:
		return uint128FromBytes(v).hex()
	}
}

// tunOAM is the only flag of TunFlags.
const tunOAM = 1

// maskedText is text for a value with a mask, where flags have another syntax.
func (f fieldForm) maskedText(v string) string {
	if f == formTunFlags {
		return formHex.text(v)
	}
	return f.text(v)
}

// dottedText prints a mask as a value, but numbers always in hexadecimal.
func (f fieldForm) dottedText(v string) string {
	if f == formDecimal || f == formPort || f == formTunFlags {
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
