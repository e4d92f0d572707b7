package ofconn_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// flowRemoved15 is what Open vSwitch was seen to send, and ovs-ofctl printed as
// priority=9,ip reason=delete table_id=7 cookie:0x123.
const flowRemoved15 = "060b005000000000070200090000000000000000000001230001000a80000a0208000000000000000000002880020008" +
	"000000000098968080020808000000000000000080020a080000000000000000"

// flowRemoved13 is the same in OpenFlow 1.3.
const flowRemoved13 = "040b00400000000000000000000001230009020700000000006acfc000000000000000000000000000000000" +
	"000000000001000a80000a020800000000000000"

func TestFlowRemovedIsWhatOvsOfctlPrintsOfIt(t *testing.T) {
	want := ofconn.FlowRemoved{Cookie: 0x123, Table: 7, Priority: 9, Reason: ofconn.FlowDeleted}
	for _, s := range []string{flowRemoved15, flowRemoved13} {
		got, err := ofconn.ParseFlowRemoved(unhex(s))
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	// priority=200,ip,nw_dst=239.1.2.3 reason=group_delete table_id=10 cookie:0x6d63617374
	got, err := ofconn.ParseFlowRemoved(recordedNamed(t, "of13-flow-removed-group-delete"))
	require.NoError(t, err)
	require.Equal(t, ofconn.FlowRemoved{
		Cookie: 0x6d63617374, Table: 10, Priority: 200, Reason: ofconn.FlowGroupDeleted,
	}, got)
	require.Equal(t, "group_delete", got.Reason.String())
	require.Equal(t, "FlowRemovedReason(0x6)", ofconn.FlowRemovedReason(6).String())
}

func TestAFlowRemovedOfTheOtherVersionsLengthIsMalformed(t *testing.T) {
	short := unhex(flowRemoved13)[:40]
	short[3] = 40
	_, err := ofconn.ParseFlowRemoved(short)
	require.ErrorIs(t, err, ofgroup.ErrMalformed)
}
