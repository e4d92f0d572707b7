package ofgrouptest

import (
	"encoding/hex"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// addGroup7 and addMeter1 are what the flows of these tests refer to.
const (
	addGroup7 = "0000000000000007" + "00000000ffffffff"
	addMeter1 = "0000000200000001" + "00010010" + "0000000a" + "00000000" + "00000000"
	delMeter1 = "0002000000000001"
	delGroup7 = "0002000000000007" + "00000000ffffffff"
)

// flowHistory is what has flows added, changed and deleted in every way, and refused.
func flowHistory() []flowModBody {
	ip := []string{isIPv4}
	group := []string{isIPv4, "80001804ef010101"}
	to7, to9 := applying(toGroup(7)), applying(toGroup(9))
	var all []flowModBody
	for command := range uint8(7) {
		for _, table := range []uint8{0, 253, 254, 255} {
			all = append(all, flowModBody{command: command, table: table, priority: 1})
		}
	}
	for flag := range 16 {
		all = append(all, flowModBody{flags: 1 << flag, priority: uint16(10 + flag)}, flowModBody{command: flowDelete, flags: 1 << flag, table: 9})
	}
	return append(all, []flowModBody{
		{priority: 20, idle: 1000, hard: 3000, importance: 9, cookie: 5, mask: 0xff, does: applying(outputTo(1))},
		{priority: 20, cookie: 0x105, does: applying(outputTo(2))},
		{command: flowModify, priority: 7, does: to7, cookie: 0x105, mask: 0xffff},
		{command: flowModify, does: to9},
		{command: flowModify, table: 77, does: to9},
		{command: flowModifyStrict, priority: 20, does: applying(outputTo(3)), flags: flowSendRemoved},
		{command: flowModifyStrict, priority: 21, does: to9},
		{match: group, priority: 100, table: 101, does: to7}, {match: group, priority: 100, table: 101, does: to9},
		{match: group, priority: 101, table: 101, does: withActions(writeActions, toGroup(9))},
		{match: group, priority: 102, table: 101, does: applying(toMeter(1), toGroup(7))},
		{match: group, priority: 102, table: 101, does: applying(toMeter(2))}, {command: flowDelete, table: 3, does: to9},
		{match: ip, table: 9, priority: 1}, {match: group, table: 9, priority: 1, flags: flowCheckOverlap},
		{match: group, table: 9, priority: 2, flags: flowCheckOverlap}, {match: []string{isARP}, table: 9, priority: 1, flags: flowCheckOverlap},
		{match: ip, table: 9, priority: 1, flags: flowCheckOverlap, does: applying(outputTo(4))},
		{buffer: ^uint32(5), priority: 30, table: 12}, {outPort: ^uint32(0xff00)}, {outPort: ^uint32(3), priority: 31},
		{command: flowDelete, table: 9, outPort: ^uint32(5)}, {command: flowDelete, table: 101, outGroup: ^uint32(8)},
		{command: flowDelete, table: 9, outPort: ^uint32(4)},
		{command: flowDelete, table: 0, cookie: 0x100, mask: 0xf00},
		{command: flowDeleteStrict, table: 101, priority: 100}, {command: flowDeleteStrict, table: 101, priority: 100, match: group},
		{command: flowDeleteStrict, table: 0, priority: 14}, {command: flowDelete, table: 0, match: group},
		{table: 5, does: "0001000805000000"}, {table: 5, does: "0001000806000000"}, {table: 5, does: "0001001006000000" + "0000000000000000"},
		{table: 6, does: "0001000807000000" + applying(outputTo(1))}, {table: 6, priority: 1, does: applying() + applying()},
		{table: 6, priority: 2, does: applying() + "0005000800000000" + withActions(writeActions, outputTo(1))},
		{table: 6, priority: 3, does: "0002001800000000" + "0000000000000005" + "00000000000000ff"},
		{table: 6, priority: 4, does: "0002001000000000" + "0000000000000005"}, {table: 6, priority: 4, does: "0006000800000001"},
		{table: 6, priority: 4, does: "0063000800000001"}, {table: 6, priority: 4, does: "ffff000800002320"},
		{table: 6, priority: 4, does: "0004000400000000"}, {table: 6, priority: 4, does: "0004001000000000"}, {table: 6, priority: 4, does: "0004000000000000"},
		{table: 7, does: applying(outputTo(0))}, {table: 7, priority: 1, does: applying(outputTo(77))}, {table: 7, priority: 2, does: applying(outputTo(0xffffffff))},
		{table: 7, priority: 3, does: applying(outputTo(0xfffffff8))}, {table: 7, priority: 4, does: applying(outputTo(0xff00))},
		{rawMatch: "0001000000000000"}, {rawMatch: "0001000c00000000"}, {rawMatch: "0000000400000000"}, {rawMatch: "0002000400000000"},
		{table: 8, rawMatch: "0001000400000001"}, {table: 8, priority: 2, match: []string{reg0is, in1}},
		{table: 8, priority: 3, match: []string{"8001000800000005" + "00000006"}}, {table: 8, priority: 3, match: []string{"0001000400000005", "0001020400000006"}},
		{table: 8, priority: 4, match: []string{"80000c020000"}}, {table: 8, priority: 4, match: []string{"000009040000ffff"[:8] + "00001fff"}},
		{table: 8, priority: 5, match: []string{"80000d0410001000", isIPv4}}, {table: 8, priority: 6, match: []string{"0000090410001000", isIPv4}},
		{command: flowDelete, table: 6, match: []string{isIPv4}}, {command: flowDelete, table: 8, match: []string{isIPv4}},
	}...)
}

func TestFlowsAreKeptAsByARealSwitch(t *testing.T) {
	requireSameAnswers(t, 2, func(s *script, conns []*client) {
		s.step(conns, 0, openflow.TypeGroupMod, addGroup7)
		s.step(conns, 0, openflow.TypeMeterMod, addMeter1)
		for i, f := range flowHistory() {
			s.step(conns, 0, openflow.TypeFlowMod, f.String())
			if i%7 == 0 {
				s.noteFlows(conns[1])
			}
		}
		s.noteFlows(conns[1])
		s.step(conns, 0, openflow.TypeGroupMod, delGroup7)
		s.noteFlows(conns[1])
		s.step(conns, 0, openflow.TypeFlowMod, flowModBody{table: 3, does: applying(toMeter(1))}.String())
		s.step(conns, 0, openflow.TypeMeterMod, delMeter1)
		s.noteFlows(conns[1])
		s.step(conns, 0, openflow.TypeFlowMod, flowModBody{command: flowDelete, table: allTables}.String())
		s.noteFlows(conns[1])
	})
}

// noteFlows notes every flow: as the real switch describes it over the wire, or as this one
// shows it.
func (s *script) noteFlows(c *client) {
	c.tb.Helper()
	flows := c.flows
	if flows == nil {
		flows = c.describeFlows
	}
	var all []string
	for _, f := range flows() {
		f.Groups, f.Meters = nil, nil
		all = append(all, fmt.Sprintf("%q", fmt.Sprintf("%v %#v", f, f)))
	}
	slices.Sort(all)
	s.said = append(s.said, all...)
}

// describeFlows asks a real switch for its flows (section 7.3.5.2).
func (c *client) describeFlows() []Flow {
	c.tb.Helper()
	const fixed = 24
	body := "0001000000000000" + "ff000000ffffffffffffffff00000000" + "00000000000000000000000000000000" + matchOf()
	var all []Flow
	for _, m := range c.replies(message(openflow.Version15, openflow.TypeMultipartRequest, 0, unhex(c.tb, body))) {
		for b := m[openflow.MultipartHeaderLen:]; len(b) > 0; b = b[be.Uint16(b):] {
			fields, rest, v := parseMatch(b[fixed:be.Uint16(b)])
			require.Equal(c.tb, accepted, v, "%x", b)
			statistics := (int(be.Uint16(rest[2:])) + 7) &^ 7
			all = append(all, Flow{
				Table: b[4], Priority: be.Uint16(b[6:]), IdleTimeout: be.Uint16(b[8:]), HardTimeout: be.Uint16(b[10:]),
				Flags: be.Uint16(b[12:]), Importance: be.Uint16(b[14:]), Cookie: be.Uint64(b[16:]),
				Match: fields.key(), Instructions: string(rest[statistics:]),
			})
		}
	}
	return all
}

func TestMetersAreKeptAsByARealSwitch(t *testing.T) {
	const band = "00010010" + "0000000a" + "00000000" + "00000000"
	requireSameAnswers(t, 1, func(s *script, conns []*client) {
		for _, body := range []string{
			"00000002" + "00000005" + band, "00000002" + "00000005" + band, "00010002" + "00000005" + band, "00010002" + "00000006" + band,
			"00020000" + "00000006", "00020000" + "00000005", "00020000" + "00000005", "00030002" + "00000006" + band,
			"00000000" + "00000006" + band, "00000003" + "00000006" + band, "00000004" + "00000006" + band, "00000010" + "00000006" + band,
			"00000001" + "00000006" + band, "0000000f" + "00000007" + band, "00000006" + "00000007" + band, "0000000a" + "00000008" + band + band,
			"00000002" + "00000009", "00010002" + "00000008", "00000002" + "00000009" + "00010010" + "00000000" + "0000000000000000",
			"00000002" + "00000000" + band, "00000002" + "ffff0000" + band, "00000002" + "ffff0001" + band, "00000002" + "fffffffd" + band,
			"00000002" + "fffffffe" + band, "00000002" + "ffffffff" + band,
			"00000002" + "0000000a" + "00020010" + "0000000a" + "0000000000000000", "00000002" + "0000000a" + "ffff0010" + "0000000a" + "0000000000000000",
			"00000002" + "0000000a" + "00010008" + "0000000a", "00000002" + "0000000a" + "00010018" + "0000000a" + "0000000000000000",
			"00000002" + "0000000a" + "00010000" + "0000000a" + "0000000000000000", "000000020000", "00020000" + "0000000a" + band,
			"00020000" + "00000000", "000200ff" + "00000007", "00020000" + "ffffffff", "00000002" + "00000008" + band,
		} {
			s.step(conns, 0, openflow.TypeMeterMod, body)
		}
	})
}

func TestMetersAreShown(t *testing.T) {
	sw := newSwitch(t)
	require.Empty(t, dial(t, sw).do(message(openflow.Version15, openflow.TypeMeterMod, 0, unhex(t, addMeter1))))
	require.Equal(t, []Meter{{ID: 1, Flags: meterPkts, Bands: []Band{{Rate: 10}}}}, sw.Meters())
}

// What ovs-ofctl sends, and what Open vSwitch said to it.
func TestRecordedFlowModsAndPacketOutsAreJudgedAlike(t *testing.T) {
	cases := casesIn(t, "testdata/flows.jsonl.gz")
	require.Len(t, cases, 42)
	for _, r := range cases {
		t.Run(r.Name, func(t *testing.T) {
			sw := newSwitch(t)
			c := dial(t, sw)
			require.Empty(t, c.do(message(openflow.Version15, openflow.TypeMeterMod, 0, unhex(t, addMeter1))))
			for _, id := range []uint32{7, 8} {
				require.Nil(t, c.verdict(groupModMessage(cmdAdd, typeAll, id, 1)))
			}
			require.Equal(t, r.refusal(t), play0(c, r))
		})
	}
}

// play0 sends the recorded request to a switch as it is.
func play0(c *client, r recordedCase) *Refusal {
	replies := c.do(unhex(c.tb, r.Hex))
	if len(replies) == 0 {
		return nil
	}
	return &Refusal{Type: be.Uint16(replies[0][8:]), Code: be.Uint16(replies[0][10:])}
}

func TestAFlowIsShownAloneOfItsKindHoweverItIsWritten(t *testing.T) {
	sw := newSwitch(t)
	c := dial(t, sw)
	require.Nil(t, c.verdict(groupModMessage(cmdAdd, typeAll, 7, 1)))
	add := func(fields ...string) {
		b := flowModBody{cookie: 0x6f666d6300000001, table: 101, priority: 100, match: fields, does: applying(toGroup(7))}
		require.Empty(t, c.do(message(openflow.Version15, openflow.TypeFlowMod, 0, unhex(t, b.String()))))
	}
	add(reg0is, isIPv4, "80001804ef010101")
	add(isIPv4, "80001908ef010101ffffffff", "0001010800000005ffffffff")
	add("000006020800", "00001004ef010101", reg0is)
	flows := sw.Flows()
	require.Len(t, flows, 1)
	require.Equal(t, []ofgroup.ID{7}, flows[0].Groups)
	require.Equal(t, string(unhex(t, reg0is+isIPv4+"80001804ef010101")), flows[0].Match)
	require.Equal(t, string(unhex(t, applying(toGroup(7)))), flows[0].Instructions)
	require.Equal(t, "cookie=0x6f666d6300000001,table=101,priority=100,reg0=0x5,dl_type=0x800,nw_dst=239.1.1.1,actions=group:7", flows[0].String())
	require.Equal(t, 1, sw.FlowsTo(7))
}

func TestFlowRemovedIsWhatOpenVSwitchSends(t *testing.T) {
	sw := newSwitch(t)
	c, deaf := dial(t, sw), dial(t, sw)
	c.ask()
	mod := func(f flowModBody) {
		require.Empty(t, deaf.do(message(openflow.Version15, openflow.TypeFlowMod, 0, unhex(t, f.String()))))
	}
	require.Nil(t, deaf.verdict(groupModMessage(cmdAdd, typeAll, 7, 1)))
	mod(flowModBody{table: 3, priority: 9, flags: flowSendRemoved, does: applying(toGroup(7))})
	mod(flowModBody{table: 3, priority: 8, does: applying(toGroup(7))})
	mod(flowModBody{priority: 3, cookie: 0x77, flags: flowSendRemoved})
	require.Nil(t, deaf.verdict(groupModMessage(cmdDelete, typeAll, 7)))
	mod(flowModBody{command: flowDelete, table: allTables})
	const statistics = "00000028800200080000000000000000" + "800208080000000000000000" + "80020a080000000000000000"
	require.Equal(t, []string{
		"060b004800000000" + "0303000900000000" + "0000000000000000" + "0001000400000000" + statistics,
		"060b004800000000" + "0002000300000000" + "0000000000000077" + "0001000400000000" + statistics,
	}, inHex(c.unasked()))
	require.Empty(t, deaf.unasked(), "it did not ask")
}

func inHex(messages [][]byte) []string {
	var all []string
	for _, m := range messages {
		all = append(all, hex.EncodeToString(m))
	}
	return all
}
