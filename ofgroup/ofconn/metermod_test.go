package ofconn_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// meters are what ovs-ofctl was seen to send, without the version, for the
// command and the text.
var meters = []struct {
	command, text, hex string
	mod                ofconn.MeterMod
}{
	{
		"add", "meter=11,pktps,burst,bands=type=drop,rate=100,burst_size=20",
		"1d002000000000000000060000000b00010010000000640000001400000000",
		ofconn.MeterMod{ID: 11, Rate: 100, Burst: 20},
	},
	{
		"add", "meter=12,kbps,bands=type=drop,rate=1000",
		"1d002000000000000000010000000c00010010000003e80000000000000000",
		ofconn.MeterMod{ID: 12, Unit: ofconn.KilobitsPerSecond, Rate: 1000},
	},
	{
		"add", "meter=4294901760,pktps,bands=type=drop,rate=1",
		"1d00200000000000000002ffff000000010010000000010000000000000000",
		ofconn.MeterMod{ID: 0xffff0000, Rate: 1},
	},
	{
		"modify", "meter=12,pktps,bands=type=drop,rate=5",
		"1d002000000000000100020000000c00010010000000050000000000000000",
		ofconn.MeterMod{Command: ofconn.MeterModify, ID: 12, Rate: 5},
	},
	{
		"delete", "meter=12", "1d001000000000000200000000000c",
		ofconn.MeterMod{Command: ofconn.MeterDelete, ID: 12, Rate: 5, Burst: 6},
	},
	{
		"delete", "meter=all", "1d00100000000000020000ffffffff",
		ofconn.MeterMod{Command: ofconn.MeterDelete, ID: ofconn.AllMeters},
	},
}

func TestMeterModsMatchRecordedBytes(t *testing.T) {
	for _, m := range meters {
		requireMessage(t, unhex("06"+m.hex), m.mod, ofgroup.OpenFlow15, m.text)
		requireMessage(t, unhex("04"+m.hex), m.mod, ofgroup.OpenFlow13, m.text)
	}
}

func TestMeterModsPrintAsTheyAreTyped(t *testing.T) {
	for _, m := range meters {
		require.Equal(t, m.command+" "+m.text, m.mod.String())
	}
	require.Equal(t, "MeterCommand(0x3) meter=1,MeterUnit(0x2),bands=type=drop,rate=0",
		ofconn.MeterMod{Command: 3, Unit: 2, ID: 1}.String())
}

func TestAMeterCommandThatDoesNotExistIsRefused(t *testing.T) {
	b, err := ofconn.MeterMod{Command: 3, ID: 1, Rate: 1}.AppendMessage(nil, ofgroup.OpenFlow15)
	require.ErrorIs(t, err, ofgroup.ErrCommand)
	require.Empty(t, b)
}
