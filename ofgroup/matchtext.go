package ofgroup

import (
	"fmt"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// matchFieldText prints one field of a match: value, and mask if it has one, follow h.
func matchFieldText(h openflow.OXM, body string) string {
	f := matchOrder[matchRank(h)]
	value, mask := body[:h.ValueLen()], body[h.ValueLen():]
	switch f {
	case InPort:
		return "in_port=" + Port(be32(value)).String()
	case EthType:
		return ethTypeText(be16(value))
	case VLANVID:
		return vlanText(be16(value), mask)
	case PacketType:
		return fmt.Sprintf("packet_type=(%d,0x%x)", be16(value), be16(value[2:]))
	case IPFrag:
		if text, ok := fragText(value, mask); ok {
			return text
		}
	}
	info := f.info()
	s := info.name + "=" + info.form.text(value)
	if mask != "" {
		s += "/" + info.form.maskText(mask)
	}
	return s
}

// ethTypeText is ovs-ofctl's word for an Ethernet type, where it has one that says
// nothing more.
func ethTypeText(t uint16) string {
	switch t {
	case 0x0800:
		return "ip"
	case 0x86dd:
		return "ipv6"
	case 0x0806:
		return "arp"
	default:
		return fmt.Sprintf("dl_type=0x%04x", t)
	}
}

// vlanText prints VLANVID. ovs-ofctl has dl_vlan for a tag with a VLAN and vlan_tci for
// all else.
func vlanText(v uint16, mask string) string {
	switch {
	case mask != "":
		return fmt.Sprintf("vlan_tci=0x%04x/0x%04x", v, be16(mask))
	case v&vlanPresent != 0:
		return fmt.Sprintf("dl_vlan=%d", v&^vlanPresent)
	default:
		return fmt.Sprintf("vlan_tci=0x%04x/0x1fff", v)
	}
}

// fragText prints IPFrag, of whose bits one says that it is a fragment and the other that
// it is not the first.
func fragText(value, mask string) (string, bool) {
	if mask == "" {
		mask = "\x03"
	}
	text, ok := map[string]string{
		"\x00\x03": "no", "\x01\x01": "yes", "\x01\x03": "first", "\x03\x03": "later", "\x00\x02": "not_later",
	}[value+mask]
	return "ip_frag=" + text, ok
}
