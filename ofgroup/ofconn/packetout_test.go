package ofconn_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// recordedPacketOuts are the packet-outs that ovs-ofctl was seen to send, without
// their frames.
var recordedPacketOuts = map[string]ofconn.PacketOut{
	"igmp-query-to-ports":              {InPort: PortController, Actions: manyPorts(3)},
	"igmp-query-to-group":              {Actions: actions(OutputGroup(7))},
	"igmp-query-flood":                 {Actions: actions(Output(PortFlood))},
	"igmp-query-vlan":                  {Actions: actions(PushVLAN(TPID8021Q), Set(VLANVID, 0x100a), Output(2))},
	"igmp-report-from-port-1-to-table": {InPort: 1, Actions: actions(Output(PortTable))},
	"igmp-v3-report-resubmit":          {InPort: 1, Actions: actions(Resubmit(10))},
	"mld-report-to-ports":              {Actions: manyPorts(2)},
	"controller-action":                {InPort: 1, Actions: actions(Output(PortController))},
}

func manyPorts(n int) []Action {
	a := make([]Action, n)
	for i := range a {
		a[i] = Output(Port(i + 1))
	}
	return a
}

func TestPacketOutsMatchRecordedBytes(t *testing.T) {
	checked := 0
	for _, r := range recordedOf(t, "packet_out") {
		_, name, _ := strings.Cut(r.Name, "-packet-out-")
		m, ok := recordedPacketOuts[name]
		require.True(t, ok, r.Name)
		_, rest, _ := strings.Cut(r.Text, "packet=")
		frame, _, _ := strings.Cut(rest, " ")
		m.Frame = unhex(frame)
		version := OpenFlow15
		if r.OF == "1.3" {
			version = OpenFlow13
		}
		requireMessage(t, numberless(unhex(r.Hex)), m, version, r.Name)
		checked++
	}
	require.Equal(t, 2*len(recordedPacketOuts), checked)
}

// A general query with TTL 1, precedence, Router Alert and protocol 2.
const queryFrame = "01005e00000100005e005302080046c000240000400001024211c0000201e0000001940400001164ec1e00000000027d0000"

func TestTheFrameGoesOutByteForByte(t *testing.T) {
	frame := unhex(queryFrame)
	for v := range prefixes {
		b, err := ofconn.PacketOut{Actions: actions(OutputGroup(1)), Frame: frame}.AppendMessage(nil, v)
		require.NoError(t, err)
		require.Equal(t, frame, b[len(b)-len(frame):])
	}
	require.Equal(t, unhex(queryFrame), frame, "and is not written to")
}

func TestAPacketOutThatCannotBeIsRefusedAndLeavesTheBufferAlone(t *testing.T) {
	for rule, m := range map[error]ofconn.PacketOut{
		ErrAction:          {Actions: actions(Output(0xff00))},
		ofconn.ErrTooLarge: {Frame: make([]byte, 0xffff)},
	} {
		for v := range prefixes {
			b, err := m.AppendMessage([]byte{1}, v)
			require.ErrorIs(t, err, rule)
			require.Equal(t, []byte{1}, b)
		}
	}
}

func TestTheLargestPacketOutHasATrueLength(t *testing.T) {
	const fixed15, fixed13 = 32, 24
	for v, fixed := range map[Version]int{OpenFlow15: fixed15, OpenFlow13: fixed13} {
		b, err := ofconn.PacketOut{Frame: make([]byte, 0xffff-fixed)}.AppendMessage(nil, v)
		require.NoError(t, err)
		require.Len(t, b, 0xffff)
		require.Equal(t, []byte{0xff, 0xff}, b[2:4])
		_, err = ofconn.PacketOut{Frame: make([]byte, 0x10000-fixed)}.AppendMessage(nil, v)
		require.ErrorIs(t, err, ofconn.ErrTooLarge)
	}
	// The actions' own length is checked too.
	_, err := ofconn.PacketOut{Actions: manyOutputs(4096)}.AppendMessage(nil, OpenFlow13)
	require.ErrorIs(t, err, ofconn.ErrTooLarge)
}
