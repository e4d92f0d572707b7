package ofconn_test

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

func prefix(s string) netip.Prefix { return netip.MustParsePrefix(s) }

// ip is a match of IPv4 packets with further conditions.
func ip(conditions ...Condition) Match { return NewMatch(IsIPv4()).With(conditions...) }

func actions(a ...Action) []Action { return a }

var mcast = ip(Within(IPDst, prefix("239.1.2.3/32")))

// toGroup is a flow of table 10 and priority 200 for one multicast group.
func toGroup(change func(*ofconn.FlowMod)) ofconn.FlowMod {
	m := ofconn.FlowMod{Table: 10, Priority: 200, Match: mcast, Actions: actions(OutputGroup(7))}
	change(&m)
	return m
}

// first is a flow of table 0 and priority 200.
func first(m Match, a ...Action) ofconn.FlowMod {
	return ofconn.FlowMod{Priority: 200, Match: m, Actions: a}
}

// aPriority is the priority that ovs-ofctl sends where nobody looks at it.
const aPriority = 0x8000

// recordedFlows are the flow-mods that ovs-ofctl was seen to send, in both
// versions, for the text of the same name.
var recordedFlows = map[string]ofconn.FlowMod{
	"igmp-to-controller":          first(ip(Is(IPProto, 2)), Output(PortController)),
	"igmp-to-controller-userdata": first(ip(Is(IPProto, 2)), Controller(PacketInAction{UserData: []byte{1, 2, 3, 4}})),
	"igmp-to-controller-and-normal": first(ip(Is(IPProto, 2)),
		Controller(PacketInAction{}), Output(PortNormal)),
	"ipv4-multicast-local-control": {
		Priority: 150, Match: ip(Within(IPDst, prefix("224.0.0.0/24"))), Actions: actions(Output(PortFlood)),
	},
	"ipv6-multicast": {
		Priority: 100, Match: NewMatch(Within(IPv6Dst, prefix("ff00::/8")), IsIPv6()), Actions: actions(Output(PortFlood)),
	},
	"eth-multicast-ipv4": {
		Priority: 91, Match: NewMatch(IsMasked(EthDst, [6]byte{1, 0, 0x5e}, [6]byte{255, 255, 255, 128})),
		Actions: actions(Output(PortNormal)),
	},
	"mcast-to-group": toGroup(func(*ofconn.FlowMod) {}),
	"mcast-mld-to-group": toGroup(func(m *ofconn.FlowMod) {
		m.Match = NewMatch(IsIPv6(), Is(IPv6Dst, netip.MustParseAddr("ff3e::1:2:3")))
	}),
	"mcast-cookie":        toGroup(func(m *ofconn.FlowMod) { m.Cookie = 0x1122334455667788 }),
	"mcast-timeouts":      toGroup(func(m *ofconn.FlowMod) { m.IdleTimeout, m.HardTimeout = 60, 260 }),
	"mcast-send-flow-rem": toGroup(func(m *ofconn.FlowMod) { m.IdleTimeout, m.Flags = 60, ofconn.FlowSendRemoved }),
	"mcast-all-flags": toGroup(func(m *ofconn.FlowMod) {
		m.Match = ip(Within(IPDst, prefix("239.1.2.4/32")))
		m.Flags = ofconn.FlowSendRemoved | ofconn.FlowCheckOverlap | ofconn.FlowResetCounts |
			ofconn.FlowNoPacketCounts | ofconn.FlowNoByteCounts
	}),
	"mcast-outputs": toGroup(func(m *ofconn.FlowMod) { m.Actions = actions(Output(1), Output(2), Output(PortIn)) }),
	"mcast-tun-id":  first(mcast.With(Is(TunID, 0x4d), Is(InPort, 4)), OutputGroup(7)),
	"mcast-tun-id-masked": first(ip(Is(TunID.Bits(8, 11), 1)),
		Resubmit(10)),
	"mcast-tun-src-dst": first(NewMatch(Within(TunDst, prefix("10.0.0.2/32")), Within(TunSrc, prefix("10.0.0.1/32"))),
		Resubmit(10)),
	"mcast-vlan":      first(mcast.With(IsVLAN(10)), OutputGroup(7)),
	"mcast-vlan-any":  first(ip(Is(VLANVID.Bits(12, 12), 1)), Resubmit(10)),
	"mcast-vlan-none": first(ip(IsUntagged()), Resubmit(10)),
	"mcast-metadata-match": toGroup(func(m *ofconn.FlowMod) {
		m.Match = mcast.With(Is(Metadata.Bits(0, 7), 5))
	}),
	"mcast-udp-port": toGroup(func(m *ofconn.FlowMod) {
		m.Match = mcast.With(Is(UDPDst, 5001), Is(IPProto, 17))
	}),
	"meter-then-group": {Priority: 1, Match: NewMatch(Is(InPort, 1)), Actions: actions(Meter(1), OutputGroup(7))},
	"table-miss-drop":  {Table: 10},
	"mod-flows-cookie": {
		Command: ofconn.FlowModify, Table: 10, Priority: aPriority, Cookie: 5, CookieMask: 0xff,
		Match: ip(), Actions: actions(OutputGroup(8)),
	},
	"del-flows-table": {Command: ofconn.FlowDelete, Table: 10, Priority: aPriority},
	"del-flows-match": {Command: ofconn.FlowDelete, Table: 10, Priority: aPriority, Match: mcast},
}

// notSaid are the recorded flow-mods that this package has no words for.
var notSaid = []string{
	"mld-report-to-controller", "mcast-importance", "mcast-ct-state", "goto-table", "write-metadata-goto",
	"del-flows-out-group",
}

func TestFlowModsMatchRecordedBytes(t *testing.T) {
	for v, before := range prefixes {
		for name, m := range recordedFlows {
			requireMessage(t, recordedNamed(t, before+"flow-mod-"+name), m, v, name)
		}
	}
	for _, r := range recordedOf(t, "flow_mod") {
		_, name, _ := strings.Cut(r.Name, "-flow-mod-")
		_, said := recordedFlows[name]
		require.NotEqual(t, said, contains(notSaid, name), "%s is in one of the lists", name)
	}
}

func contains(names []string, name string) bool {
	for _, n := range names {
		if n == name {
			return true
		}
	}
	return false
}

// In OpenFlow 1.3 a meter is an instruction, which comes before all actions.
func TestAMeterBehindOtherActionsIsNotSaidInOpenFlow13(t *testing.T) {
	m := ofconn.FlowMod{Actions: actions(OutputGroup(7), Meter(1))}
	_, err := m.AppendMessage(nil, OpenFlow13)
	require.ErrorIs(t, err, ErrVersion)
	_, err = m.AppendMessage(nil, OpenFlow15)
	require.NoError(t, err)
}

func TestAFlowThatCannotBeIsRefusedAndLeavesTheBufferAlone(t *testing.T) {
	for rule, m := range map[error]ofconn.FlowMod{
		ErrField:           {Match: NewMatch(Is(Reg(16), 1))},
		ErrValue:           {Match: NewMatch(Is(IPProto, 256))},
		ErrAction:          {Actions: actions(Output(1), Output(0xff00))},
		ErrCommand:         {Command: 5},
		ofconn.ErrTooLarge: {Actions: manyOutputs(4093)},
	} {
		for v := range prefixes {
			b, err := m.AppendMessage([]byte{1}, v)
			require.ErrorIs(t, err, rule)
			require.Equal(t, []byte{1}, b)
		}
	}
}

func manyOutputs(n int) []Action {
	a := make([]Action, n)
	for i := range a {
		a[i] = Output(1)
	}
	return a
}

// 56 bytes and the instruction's 8 leave room for 4,091 outputs of 16.
func TestTheLargestFlowHasATrueLength(t *testing.T) {
	m := ofconn.FlowMod{Actions: manyOutputs(4091)}
	b, err := m.AppendMessage(nil, OpenFlow15)
	require.NoError(t, err)
	require.Len(t, b, 56+8+16*4091)
	require.Equal(t, []byte{byte(len(b) >> 8), byte(len(b))}, b[2:4])
	m.Actions = manyOutputs(4092)
	_, err = m.AppendMessage(nil, OpenFlow15)
	require.ErrorIs(t, err, ofconn.ErrTooLarge)
}

// What a deletion would carry is not sent: a switch refuses actions there.
func TestADeletionCarriesNoActions(t *testing.T) {
	with := ofconn.FlowMod{Command: ofconn.FlowDelete, Table: ofconn.AllTables, Cookie: 1, CookieMask: 1, Actions: actions(Output(1))}
	without := with
	without.Actions = nil
	want, err := without.AppendMessage(nil, OpenFlow15)
	require.NoError(t, err)
	requireMessage(t, want, with, OpenFlow15)
}
