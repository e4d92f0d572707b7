package ofgroup_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/ofmcast/ofmcast/ofgroup"
)

var mac = [6]byte{2, 0, 0, 0, 0, 7}

// fieldSamples has an action for every field that can be set.
var fieldSamples = map[Field]Action{
	TunID: Set(TunID, 9), TunSrc: Set(TunSrc, addr("192.0.2.1")), TunDst: Set(TunDst, addr("192.0.2.2")),
	TunIPv6Src: Set(TunIPv6Src, addr("2001:db8::1")), TunIPv6Dst: Set(TunIPv6Dst, addr("2001:db8::2")),
	TunFlags: Set(TunFlags, 0), TunGBPID: Set(TunGBPID, 7), TunGBPFlags: Set(TunGBPFlags, 0x48),
	Metadata: Set(Metadata, 5), InPort: Set(InPort, PortLocal&0xffff), PktMark: Set(PktMark, 5),
	EthSrc: Set(EthSrc, mac), EthDst: Set(EthDst, mac),
	VLANTCI: Set(VLANTCI, 0x3005), VLANVID: Set(VLANVID, 0x1005), VLANPCP: Set(VLANPCP, 7),
	MPLSLabel: Set(MPLSLabel, 0xfffff), MPLSTC: Set(MPLSTC, 7), MPLSTTL: Set(MPLSTTL, 63),
	IPSrc: Set(IPSrc, addr("192.0.2.1")), IPDst: Set(IPDst, addr("192.0.2.2")),
	IPv6Src: Set(IPv6Src, addr("2001:db8::1")), IPv6Dst: Set(IPv6Dst, addr("2001:db8::2")),
	IPv6Label: Set(IPv6Label, 0xfffff), IPTOS: Set(IPTOS, 0xb8), IPDSCP: Set(IPDSCP, 63), IPECN: Set(IPECN, 3), IPTTL: Set(IPTTL, 64),
	ARPOp: Set(ARPOp, 2), ARPSPA: Set(ARPSPA, addr("192.0.2.1")), ARPTPA: Set(ARPTPA, addr("192.0.2.2")),
	ARPSHA: Set(ARPSHA, mac), ARPTHA: Set(ARPTHA, mac),
	TCPSrc: Set(TCPSrc, 1), TCPDst: Set(TCPDst, 2), UDPSrc: Set(UDPSrc, 3), UDPDst: Set(UDPDst, 4),
	SCTPSrc: Set(SCTPSrc, 5), SCTPDst: Set(SCTPDst, 6),
	ICMPType: Set(ICMPType, 8), ICMPCode: Set(ICMPCode, 1), ICMPv6Type: Set(ICMPv6Type, 135), ICMPv6Code: Set(ICMPv6Code, 1),
	NDTarget: Set(NDTarget, addr("2001:db8::3")), NDSLL: Set(NDSLL, mac), NDTLL: Set(NDTLL, mac),
	CTMark:  CT(CTAction{Commit: true, Exec: []Action{Set(CTMark, 1), Set(CTMark.Bits(3, 4), 1)}}),
	CTLabel: CT(CTAction{Commit: true, Exec: []Action{Set(CTLabel, 1), Set(CTLabel.Bits(3, 80), 1)}}),
}

// allFields are those with a name of their own, and the registers.
func allFields() []Field {
	var fs []Field
	for f := PacketType; f <= NDTLL; f++ {
		fs = append(fs, f)
	}
	return fs
}

// fieldActions set, copy and output every field as far as that can be.
func fieldActions() []Action {
	var actions []Action
	for _, f := range allFields() {
		sample, ok := fieldSamples[f]
		if strings.Contains(f.String(), "reg") {
			sample, ok = Set(f, 5), true
		}
		if ok {
			actions = append(actions, sample)
		}
		if set := Set(f.Bits(0, 0), 1); f != CTMark && f != CTLabel && set.Err() == nil {
			actions = append(actions, set)
		}
		actions = append(actions, Copy(f.Bits(0, 0), Reg(0).Bits(3, 3)), OutputField(f.Bits(0, 0), 0xffff))
		if c := Copy(Reg(0).Bits(3, 3), f.Bits(0, 0)); f != CTMark && f != CTLabel && c.Err() == nil {
			actions = append(actions, c)
		}
	}
	return actions
}

func TestEveryFieldIsSetOrCannotBe(t *testing.T) {
	for _, f := range allFields() {
		sample, ok := fieldSamples[f]
		if ok {
			require.NoError(t, sample.Err(), "%v", f)
			continue
		}
		if strings.Contains(f.String(), "reg") {
			continue
		}
		require.ErrorIs(t, Set(f, 0).Err(), ErrField, "%v", f)
		require.ErrorIs(t, Copy(Reg(0).Bits(0, 0), f.Bits(0, 0)).Err(), ErrField, "%v", f)
	}
}
