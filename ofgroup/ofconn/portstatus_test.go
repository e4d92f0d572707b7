package ofconn_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// portStatuses are messages that Open vSwitch was seen to send, with what
// ovs-ofctl printed of each.
var portStatuses = []struct{ hex, reason, port string }{
	{
		"060c00580000000000000000000000000000000300480000aa55aa55000400007131350000000000000000000000000000000000" +
			"000000000000002000000000000000000000000000000000000000000000000000000000",
		"ADD", "3(q15): addr:aa:55:aa:55:00:04\n     config:     0\n     state:      0\n",
	},
	{
		"060c00580000000002000000000000000000000100480000aa55aa55000200007031000000000000000000000000000000000001" +
			"000000010000002000000000000000000000000000000000000000000000000000000000",
		"MOD", "1(p1): addr:aa:55:aa:55:00:02\n     config:     PORT_DOWN\n     state:      LINK_DOWN\n",
	},
	{
		"060c00580000000001000000000000000000000300480000aa55aa55000400007131350000000000000000000000000000000000" +
			"000000040000002000000000000000000000000000000000000000000000000000000000",
		"DEL", "3(q15): addr:aa:55:aa:55:00:04\n     config:     0\n     state:      LIVE\n",
	},
	{
		"040c00500000000002000000000000000000000400000000aa55aa55000500007131330000000000000000000000000000000000" +
			"00000004000000000000000000000000000000000000000000000000",
		"MOD", "4(q13): addr:aa:55:aa:55:00:05\n     config:     0\n     state:      LIVE\n",
	},
}

func TestPortStatusesAreWhatOvsOfctlPrintsOfThem(t *testing.T) {
	for _, c := range portStatuses {
		s, err := ofconn.ParsePortStatus(unhex(c.hex))
		require.NoError(t, err)
		require.Equal(t, c.reason, s.Reason.String())
		require.Equal(t, c.port, printedPort(s.Port))
	}
	require.Equal(t, "PortReason(0x3)", ofconn.PortReason(3).String())
}

func TestAPortStatusWithoutItsPortIsMalformed(t *testing.T) {
	for _, msg := range [][]byte{
		message(12, "0000000000000000"),
		message(12, "00000000000000"),
		message(10, "0000000000000000"),
	} {
		_, err := ofconn.ParsePortStatus(msg)
		require.ErrorIs(t, err, ofgroup.ErrMalformed)
	}
}
