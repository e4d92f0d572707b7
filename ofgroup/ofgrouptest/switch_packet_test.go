package ofgrouptest

import (
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// frame is an IGMPv3 report; only its bytes matter here.
const frame = "01005e0000160a0000000005080046c0002812340000010227c10a000005e0000016" +
	"940400002200e8f90000000104000000ef010203000000000000"

func TestPacketInsAreWhatOpenVSwitchSends(t *testing.T) {
	want := map[string]PacketIn{
		"of15-packet-in-standard-igmp-leave-truncated":        {InPort: 1, Reason: 1},
		"of15-packet-in-standard-mld-report":                  {InPort: 1, Reason: 1},
		"of15-packet-in-nxt-packet-in2-igmp-report-action":    {InPort: 3, Reason: 1},
		"of15-packet-in-nxt-packet-in2-igmp-report-userdata":  {InPort: 1, Reason: 1, UserData: []byte{1, 2, 3, 4, 5}},
		"of15-packet-in-nxt-packet-in2-igmp-report-via-group": {InPort: 1, Reason: 4},
		"of15-packet-in-nxt-packet-in2-table-miss":            {InPort: 1},
	}
	cases := casesIn(t, "testdata/packetins.jsonl.gz")
	require.Len(t, cases, len(want))
	for _, r := range cases {
		t.Run(r.Name, func(t *testing.T) {
			sw := newSwitch(t)
			c := dial(t, sw)
			c.ask()
			recorded := unhex(t, r.Hex)
			p := want[r.Name]
			p.Frame = recorded[42:]
			if recorded[1] == openflow.TypeExperimenter {
				p.Frame = recorded[20 : 16+be.Uint16(recorded[18:])]
				require.Empty(t, c.do(message(openflow.Version15, openflow.TypeExperimenter, 0, unhex(t, "000023200000001000000002"))))
			}
			require.Equal(t, 1, sw.PacketIn(p))
			require.Equal(t, []string{r.Hex}, inHex(c.unasked()))
		})
	}
}

func TestPacketInsGoToThoseWhoAskedUnderTheirController(t *testing.T) {
	sw := newSwitch(t)
	silent, plain, named, slave, choosy := dial(t, sw), dial(t, sw), dial(t, sw), dial(t, sw), dial(t, sw)
	for _, c := range []*client{plain, named, slave, choosy} {
		c.ask()
	}
	require.Empty(t, named.do(message(openflow.Version15, openflow.TypeExperimenter, 0, unhex(t, "00002320000000140000000000000003"))))
	require.Len(t, slave.do(message(openflow.Version15, openflow.TypeRoleRequest, 0, unhex(t, roleBody(roleSlave, 1)))), 1)
	require.Empty(t, choosy.do(message(openflow.Version15, openflow.TypeSetAsync, 0, unhex(t, "0001000800000008"))))
	require.Equal(t, 1, sw.PacketIn(PacketIn{Reason: 1}))
	require.Len(t, plain.unasked(), 1)
	require.Equal(t, 2, sw.PacketIn(PacketIn{Reason: 3}))
	require.Len(t, plain.unasked(), 1)
	require.Len(t, choosy.unasked(), 1)
	require.Equal(t, 1, sw.PacketIn(PacketIn{Reason: 1, ControllerID: 3}))
	require.Len(t, named.unasked(), 1)
	require.Zero(t, sw.PacketIn(PacketIn{Reason: 1, ControllerID: 4}))
	for _, c := range []*client{silent, slave, plain, choosy} {
		require.Empty(t, c.unasked())
	}
}

func packetOutBody(buffer string, fields, actions, data string) string {
	n := be.AppendUint16(nil, uint16(len(actions)/2))
	return buffer + hex.EncodeToString(n) + "0000" + fields + actions + data
}

func TestPacketOutsAreJudgedAsByARealSwitch(t *testing.T) {
	from := func(port string) string { return matchOf("80000004" + port) }
	out := outputTo(2)
	const none = "ffffffff"
	requireSameAnswers(t, 1, func(s *script, conns []*client) {
		try := func(body string) { s.step(conns, 0, openflow.TypePacketOut, body) }
		s.step(conns, 0, openflow.TypeGroupMod, addGroup7)
		for _, port := range []string{"fffffffd", "00000001", "0000004d", "00000000", "fffffffe", "fffffffa", "ffffffff", "fffffff8", "fffffff9", "fffffffb", "fffffffc", "0000ff00"} {
			try(packetOutBody(none, from(port), out, frame))
		}
		for _, actions := range []string{toGroup(7), toGroup(9), toMeter(9), outputTo(0xffffffff), outputTo(77), outputTo(0xfffffff9), "", "0012000400000000", "00630008" + none} {
			try(packetOutBody(none, from("00000001"), actions, frame))
		}
		for _, fields := range []string{
			matchOf(), matchOf(isIPv4), matchOf(in1, isIPv4), matchOf(in1, reg0is), matchOf(reg0is), matchOf(in1, "8000040800000000"+"00000005"),
			matchOf(in1, "80000606"+"010203040506"), matchOf(in1, "80004c08"+"0000000000000005"), matchOf("8000010800000001ffffffff"), "0001000000000000",
		} {
			try(packetOutBody(none, fields, out, frame))
		}
		try(packetOutBody("00000005", from("00000001"), out, frame))
		try(packetOutBody(none, from("00000001"), out, ""))
		for _, n := range []string{"0008", "03e8", "000c"} { // of actions, and there are 16 bytes
			try(none + n + "0000" + from("00000001") + out)
		}
	})
}

func TestPacketOutsAreShown(t *testing.T) {
	sw := newSwitch(t)
	dial(t, sw)
	c := dial(t, sw)
	require.Nil(t, c.verdict(groupModMessage(cmdAdd, typeAll, 7, 1)))
	send := func(actions string) int {
		body := packetOutBody("ffffffff", matchOf("80000004fffffffd"), actions, frame)
		return len(c.do(message(openflow.Version15, openflow.TypePacketOut, 0, unhex(t, body))))
	}
	require.Equal(t, 1, send(toGroup(9)), "refused")
	sw.Inject(Fault{On: MsgPacketOut, Ignore: true})
	require.Zero(t, send(outputTo(1)), "lost")
	sw.Inject(Fault{On: MsgPacketOut, Ignore: true})
	require.Empty(t, c.do(message(openflow.Version15, openflow.TypePacketOut, 0, nil)), "and it was none")
	actions := outputTo(2) + toGroup(7) + outputTo(3)
	require.Zero(t, send(actions))
	require.Equal(t, []PacketOut{{
		Conn: 2, InPort: ofgroup.PortController, Frame: unhex(t, frame),
		Ports: []ofgroup.Port{2, 3}, Groups: []ofgroup.ID{7}, Actions: unhex(t, actions),
	}}, sw.PacketOuts())
}
