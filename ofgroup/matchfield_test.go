package ofgroup_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
	. "github.com/ofmcast/ofmcast/ofgroup"
)

// fieldMatches ask for every field that a match can ask for, with what each needs.
func fieldMatches() []Match {
	tracked := IsMasked(CTState, 0x22, 0x22) // and established: the rest is known of no other
	arp, tcp, mpls := Is(EthType, 0x0806), []Condition{IsIPv4(), Is(IPProto, 6)}, Is(EthType, EthTypeMPLS)
	icmp6 := func(kind int, more ...Condition) Match {
		return NewMatch(append(more, IsIPv6(), Is(IPProto, 58), Is(ICMPv6Type, kind), Is(ICMPv6Code, 0))...)
	}
	return []Match{
		NewMatch(Is(ConjID, 7), Is(InPort, 1), Is(EthSrc, mac), Is(EthDst, mac), Is(PktMark, 3), Is(Metadata, 5)),
		NewMatch(Is(PacketType, 0x10800)),
		NewMatch(IsVLAN(3), Is(VLANPCP, 2), mpls, Is(MPLSLabel, 3), Is(MPLSTC, 2), Is(MPLSBOS, 1), Is(MPLSTTL, 4)),
		NewMatch(append(tcp, Is(IPSrc, addr("192.0.2.1")), Is(IPDst, addr("192.0.2.2")), Is(IPDSCP, 3), Is(IPECN, 1), Is(IPTTL, 5),
			Is(IPFrag, 1), Is(TCPSrc, 1), Is(TCPDst, 2))...),
		NewMatch(append(tcp, Is(IPFrag.Bits(0, 0), 1))...),
		NewMatch(IsIPv4(), Is(IPFrag, 3)), NewMatch(IsIPv4(), Is(IPFrag, 0)), NewMatch(IsIPv4(), Is(IPFrag.Bits(1, 1), 0)),
		NewMatch(IsIPv6(), Is(IPv6Label, 5), Is(IPProto, 17), Is(UDPSrc, 3), Is(UDPDst.Bits(0, 3), 4), within(IPv6Src, "2001:db8::/32"), within(IPv6Dst, "2001:db8::1/128")),
		NewMatch(IsIPv6(), Is(IPv6Label.Bits(0, 3), 5), Is(IPProto, 132), Is(SCTPSrc, 3), Is(SCTPDst, 4)),
		NewMatch(IsIPv4(), Is(IPProto, 1), Is(ICMPType, 8), Is(ICMPCode, 1)),
		icmp6(135, Is(NDTarget, addr("fe80::1")), Is(NDSLL, mac)), icmp6(136, within(NDTarget, "fe80::/10"), Is(NDTLL, mac)),
		NewMatch(arp, Is(ARPOp, 1), Is(ARPSPA, addr("192.0.2.1")), within(ARPTPA, "192.0.2.0/24"), Is(ARPSHA, mac), Is(ARPTHA.Bits(40, 40), 1)),
		NewMatch(Is(TunID, 1), Is(TunSrc, addr("192.0.2.1")), Is(TunDst, addr("192.0.2.2")), Is(TunGBPID, 2), Is(TunGBPFlags, 3)),
		NewMatch(within(TunIPv6Src, "2001:db8::/32"), Is(TunIPv6Dst, addr("2001:db8::1")), Is(TunGBPID.Bits(0, 3), 2)),
		NewMatch(IsMasked(CTState, 0x21, 0x23), Is(CTZone, 5), Is(CTMark, 6), Is(CTLabel, 7)),
		NewMatch(Is(CTMark.Bits(0, 3), 6), Is(CTLabel.Bits(64, 127), uint64(1)<<63)),
		NewMatch(IsIPv4(), tracked, Is(CTSrc, addr("192.0.2.1")), within(CTDst, "192.0.2.0/24"), Is(CTProto, 6), Is(CTSrcPort, 1), Is(CTDstPort.Bits(0, 7), 2)),
		NewMatch(IsIPv6(), tracked, Is(CTIPv6Src, addr("2001:db8::1")), within(CTIPv6Dst, "2001:db8::/32"), Is(CTProto, 17), Is(CTSrcPort, 1)),
		NewMatch(Is(Reg(0), 1), Is(Reg(15).Bits(3, 4), 2)),
	}
}

// otherMatches ask for fields for which ovs-ofctl sends other bytes: the flags of TCP by the
// number that they have in OpenFlow 1.3 only, that of tunnels with a mask, and registers
// in 1.5 as larger ones.
func otherMatches() []Match {
	return []Match{
		NewMatch(IsIPv4(), Is(IPProto, 6), Is(TCPFlags, 2)), NewMatch(IsIPv6(), Is(IPProto, 6), Is(TCPFlags.Bits(1, 1), 1)),
		NewMatch(Is(TunFlags, 1)), NewMatch(Is(XReg(7), 1), Is(XXReg(1).Bits(3, 70), 2)),
	}
}

// A real switch takes them all, in both versions.
func TestARealSwitchTakesEveryFieldOfAMatch(t *testing.T) {
	lab := ovslab.New(t, ovslab.Config{Ports: []string{"p1"}})
	for _, v := range bothVersions {
		c := newLabClient(t, lab, v)
		for _, m := range append(fieldMatches(), otherMatches()...) {
			flow := unhex(t, "000e0000 00000000 0000000000000000 0000000000000000 00000000 00000064 ffffffff ffffffff ffffffff 00000000")
			flow, err := m.AppendBinary(flow)
			require.NoError(t, err)
			flow[0] = byte(v)
			binary.BigEndian.PutUint16(flow[2:], uint16(len(flow)))
			require.Nil(t, c.verdictOf(flow), "%v in %v", m, v)
		}
	}
}

// ovs-ofctl takes the text of a match and sends the same bytes. (In OpenFlow 1.3: in 1.5 it
// folds registers into larger ones.)
func TestOvsOfctlSendsTheSameBytesForEveryFieldOfAMatch(t *testing.T) {
	var lines []string
	var want [][]byte
	asked := ""
	for _, m := range fieldMatches() {
		b, err := m.AppendBinary(nil)
		require.NoError(t, err)
		lines, want = append(lines, m.String()+",actions=drop"), append(want, b)
		asked += m.String() + ","
	}
	flows, err := newReference(t).sent("OpenFlow13", "add-flows", 14, lines)
	require.NoError(t, err)
	require.Len(t, flows, len(want))
	const offFlowMatch = 48
	for i := range want {
		requireBytes(t, want[i], flows[i][offFlowMatch:], lines[i])
	}
	for _, f := range allFields() {
		name := f.String() + "="
		switch f {
		case EthType, VLANVID: // they have words of their own
			continue
		case IPTOS, VLANTCI: // what they have is in other fields
			require.Error(t, NewMatch(Is(f, 8)).Err())
			continue
		case TunFlags, TCPFlags: // see otherMatches
			continue
		}
		if !strings.Contains(name, "reg") && f != PacketType {
			require.Contains(t, asked, name)
		}
	}
}
