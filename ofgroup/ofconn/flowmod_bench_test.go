package ofconn_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

func BenchmarkAppendFlowMod(b *testing.B) {
	m := toGroup(func(*ofconn.FlowMod) {})
	buf := make([]byte, 0, 256)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := m.AppendMessage(buf, ofgroup.OpenFlow15); err != nil {
			b.Fatal(err)
		}
	}
}

// A packet-out is sent for every query; it costs nothing beyond its bytes.
func TestEncodingIntoRoomAllocatesNothing(t *testing.T) {
	buf := make([]byte, 0, 2048)
	for name, m := range map[string]ofconn.Message{
		"flow":       toGroup(func(*ofconn.FlowMod) {}),
		"meter":      ofconn.MeterMod{ID: 1, Rate: 100},
		"packet-out": ofconn.PacketOut{Actions: actions(ofgroup.OutputGroup(1)), Frame: make([]byte, 60)},
	} {
		require.LessOrEqual(t, testing.AllocsPerRun(50, func() { _, _ = m.AppendMessage(buf, ofgroup.OpenFlow15) }), 0.0, name)
	}
}
