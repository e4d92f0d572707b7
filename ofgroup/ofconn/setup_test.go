package ofconn_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// setupMessages are the messages that set a connection up, as bytes without the
// version, with what ovs-ofctl ofp-print says of them: for most there is no
// ovs-ofctl command that sends one.
var setupMessages = []struct {
	message              ofconn.Message
	hex15, hex13, prints string
}{
	{
		ofconn.RoleRequest{}, "1800180000000000000000000000000000000000000000", "",
		"OFPT_ROLE_REQUEST: role=nochange",
	},
	{
		ofconn.RoleRequest{Role: ofconn.RoleMaster, Generation: 7},
		"1800180000000000000002000000000000000000000007", "",
		"OFPT_ROLE_REQUEST: role=primary generation_id=7",
	},
	{
		ofconn.RoleRequest{Role: ofconn.RoleSlave, Generation: 1 << 63},
		"1800180000000000000003000000008000000000000000", "",
		"OFPT_ROLE_REQUEST: role=secondary generation_id=9223372036854775808",
	},
	{
		ofconn.AsyncConfig{PacketIn: 1 << ofconn.ReasonAction, PortStatus: ofconn.AllReasons, FlowRemoved: 1 << ofconn.FlowExpired},
		"1c00580000000000000008000000000001000800000002000200080000000000030008" + "0000000700040008000000000005000800000002" +
			"00060008000000000007000800000000" + "000a000800000000000b000800000000",
		"1c002000000000000000020000000000" + "000007000000000000000200000000",
		"OFPT_SET_ASYNC: primary: PACKET_IN: action PORT_STATUS: add delete modify FLOW_REMOVED: hard " + nothingElse,
	},
	{
		ofconn.AsyncConfig{RequestForward: 3},
		"1c00580000000000000008000000000001000800000000000200080000000000030008" + "0000000000040008000000000005000800000000" +
			"00060008000000000007000800000000" + "000a000800000000000b000800000003",
		"0400600000000000002320" + "0000001b" + "00000008000000000001000800000000000200080000000000030008" + "00000000000400080000000000050008" +
			"00000000" + "00060008000000000007000800000000" + "000a000800000000000b000800000003",
		"OFPT_SET_ASYNC: primary: " + noEvents + "REQUESTFORWARD: group_mod_request meter_mod_request secondary: " + noEvents + "REQUESTFORWARD: (off)",
	},
	{ofconn.SwitchConfig{Fragments: ofconn.FragmentsMatch, MissSendLen: 0x80}, "09000c0000000000030080", "", "OFPT_SET_CONFIG: frags=nx-match miss_send_len=128"},
	{ofconn.SwitchConfig{Fragments: ofconn.FragmentsDrop}, "09000c0000000000010000", "", "OFPT_SET_CONFIG: frags=drop miss_send_len=0"},
	{ofconn.ControllerID(0x102), "0400180000000000002320000000140000000000000102", "", "NXT_SET_CONTROLLER_ID: id=258"},
	{ofconn.FormatPacketIn2, "04001400000000000023200000001000000002", "", "NXT_SET_PACKET_IN_FORMAT: format=nxt_packet_in2"},
	{ofconn.FormatStandard, "04001400000000000023200000001000000000", "", "NXT_SET_PACKET_IN_FORMAT: format=standard"},
	{
		ofconn.SwitchConfig{MissSendLen: ofconn.WholePacket}, "09000c000000000000ffff", "",
		"OFPT_SET_CONFIG: frags=normal miss_send_len=65535",
	},
}

// nothingElse is what a SET_ASYNC of ours leaves off.
const nothingElse = "ROLE_STATUS: (off) TABLE_STATUS: (off) REQUESTFORWARD: (off) " +
	"secondary: PACKET_IN: (off) PORT_STATUS: (off) FLOW_REMOVED: (off) " +
	"ROLE_STATUS: (off) TABLE_STATUS: (off) REQUESTFORWARD: (off)"

func TestSetupMessagesAreTheBytesThatOpenVSwitchReads(t *testing.T) {
	for _, c := range setupMessages {
		requireMessage(t, unhex("06"+c.hex15), c.message, ofgroup.OpenFlow15, c.prints)
		if c.hex13 == "" {
			c.hex13 = c.hex15
		}
		requireMessage(t, unhex("04"+c.hex13), c.message, ofgroup.OpenFlow13, c.prints)
	}
}

func TestSetupMessagesMatchRecordedBytes(t *testing.T) {
	for v, before := range prefixes {
		requireMessage(t, recordedNamed(t, before+"monitor-nxt-packet-in2-set-config"),
			ofconn.SwitchConfig{MissSendLen: 0xfffe}, v)
	}
	requireMessage(t, recordedNamed(t, "of15-monitor-nxt-packet-in2-set-packet-in-format"),
		ofconn.FormatPacketIn2, ofgroup.OpenFlow15)
}

// noEvents is how ovs-ofctl says that nothing is asked for, but for forwarded requests.
const noEvents = "PACKET_IN: (off) PORT_STATUS: (off) FLOW_REMOVED: (off) ROLE_STATUS: (off) TABLE_STATUS: (off) "

// oneLine is what ovs-ofctl ofp-print says, without version and transaction ID.
func oneLine(printed string) string {
	for _, s := range []string{" (OF1.5)", " (OF1.3)", " (xid=0x0)"} {
		printed = strings.Replace(printed, s, "", 1)
	}
	return strings.Join(strings.Fields(printed), " ")
}

func TestOvsOfctlReadsSetupMessagesAsTheyAreMeant(t *testing.T) {
	lab := newLab(t)
	for _, c := range setupMessages {
		for _, encoded := range []string{"06" + c.hex15, "04" + c.hex13} {
			if encoded == "04" {
				encoded += c.hex15
			}
			printed, err := lab.Ofctl(t.Context(), "ofp-print", encoded)
			require.NoError(t, err)
			printed = strings.Replace(oneLine(printed), "NXT_SET_ASYNC_CONFIG2", "OFPT_SET_ASYNC", 1)
			require.Equal(t, c.prints, printed)
		}
	}
}
