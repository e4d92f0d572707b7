package ofconn_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// statsBody is the version and the body of a recorded answer.
func statsBody(t testing.TB, r recordedMessage) (ofgroup.Version, []byte) {
	t.Helper()
	msg := unhex(r.Hex)
	return ofgroup.Version(msg[0]), msg[multipartHeaderLen:]
}

// squeezed is a text with single spaces.
func squeezed(s string) string { return strings.Join(strings.Fields(s), " ") }

func seconds(d time.Duration) string { return fmt.Sprintf("%.3fs", d.Seconds()) }

func TestFlowStatsAreWhatOvsOfctlPrintsOfThem(t *testing.T) {
	for _, r := range recordedOf(t, "flow_stats_reply") {
		v, body := statsBody(t, r)
		flows, err := ofconn.ParseFlowStats(v, body)
		require.NoError(t, err)
		require.Len(t, flows, 2)
		for _, f := range flows {
			require.Contains(t, squeezed(r.Text), fmt.Sprintf("cookie=0x%x, duration=%s, table=%d, n_packets=%d, n_bytes=%d,",
				f.Cookie, seconds(f.Age), f.Table, f.Packets, f.Bytes))
			require.Contains(t, squeezed(r.Text), fmt.Sprintf("priority=%d,", f.Priority))
		}
		want, err := mcast.AppendBinary(nil)
		require.NoError(t, err)
		last := flows[1]
		require.Equal(t, want, last.Match)
		require.Equal(t, []uint16{600, 700}, []uint16{last.IdleTimeout, last.HardTimeout})
		require.Equal(t, ofconn.FlowSendRemoved, last.Flags)
		mod, err := ofconn.FlowMod{
			Match: mcast, Actions: actions(ofgroup.Meter(5), ofgroup.Output(1), ofgroup.Output(2)),
		}.AppendMessage(nil, v)
		require.NoError(t, err)
		require.Equal(t, mod[48+len(want):], last.Instructions, "as we would write it")
	}
}

func TestFlowTotalsAreWhatOvsOfctlPrintsOfThem(t *testing.T) {
	for _, r := range recordedOf(t, "aggregate_stats_reply") {
		v, body := statsBody(t, r)
		f, err := ofconn.ParseFlowTotals(v, body)
		require.NoError(t, err)
		require.Contains(t, r.Text, fmt.Sprintf("packet_count=%d byte_count=%d flow_count=%d", f.Packets, f.Bytes, f.Flows))
	}
}

func TestPortStatsAreWhatOvsOfctlPrintsOfThem(t *testing.T) {
	for _, r := range recordedOf(t, "port_stats_reply") {
		v, body := statsBody(t, r)
		ports, err := ofconn.ParsePortStats(v, body)
		require.NoError(t, err)
		require.Len(t, ports, 6)
		for _, p := range ports {
			name := p.Port.String()
			if p.Port == ofgroup.PortLocal {
				name = "LOCAL"
			}
			require.Contains(t, squeezed(r.Text), fmt.Sprintf(
				"port %s: rx pkts=%d, bytes=%d, drop=?, errs=?, frame=?, over=?, crc=? tx pkts=%d, bytes=%d, drop=?, errs=?, coll=? duration=%s",
				name, p.RxPackets, p.RxBytes, p.TxPackets, p.TxBytes, seconds(p.Age)))
			for _, unknown := range []uint64{p.RxDropped, p.TxDropped, p.RxErrors, p.TxErrors} {
				require.Equal(t, ofconn.NotCounted, unknown)
			}
		}
	}
}

func TestMeterStatsAreWhatOvsOfctlPrintsOfThem(t *testing.T) {
	for _, r := range recordedOf(t, "meter_stats_reply") {
		_, body := statsBody(t, r)
		meters, err := ofconn.ParseMeterStats(body)
		require.NoError(t, err)
		require.Len(t, meters, 2)
		for _, m := range meters {
			require.Len(t, m.Bands, 1)
			require.Contains(t, squeezed(r.Text), fmt.Sprintf(
				"meter:%d flow_count:%d packet_in_count:%d byte_in_count:%d duration:%s bands: 0: packet_count:%d byte_count:%d",
				m.ID, m.Flows, m.Packets, m.Bytes, seconds(m.Age), m.Bands[0].Packets, m.Bands[0].Bytes))
		}
	}
}

// parseStats reads a body as statistics of a recorded kind.
var parseStats = map[string]func(ofgroup.Version, []byte) error{
	"flow_stats_reply":      func(v ofgroup.Version, b []byte) error { _, err := ofconn.ParseFlowStats(v, b); return err },
	"aggregate_stats_reply": func(v ofgroup.Version, b []byte) error { _, err := ofconn.ParseFlowTotals(v, b); return err },
	"port_stats_reply":      func(v ofgroup.Version, b []byte) error { _, err := ofconn.ParsePortStats(v, b); return err },
	"meter_stats_reply":     func(_ ofgroup.Version, b []byte) error { _, err := ofconn.ParseMeterStats(b); return err },
}

// A cut between two entries is where switches cut, too; any other one is told.
func TestStatisticsThatEndEarlyAreMalformed(t *testing.T) {
	for kind, parse := range parseStats {
		for _, r := range recordedOf(t, kind) {
			v, body := statsBody(t, r)
			whole := 0
			for n := range len(body) {
				if err := parse(v, body[:n]); err == nil {
					whole++
				} else {
					require.ErrorIs(t, err, ofgroup.ErrMalformed, "%s %d", r.Name, n)
				}
			}
			entries := map[string]int{"flow_stats_reply": 2, "aggregate_stats_reply": 0, "port_stats_reply": 6, "meter_stats_reply": 2}
			require.Equal(t, entries[kind], whole, r.Name)
		}
	}
}

func TestStatisticsWithAWrongByteDoNoHarm(t *testing.T) {
	for kind, parse := range parseStats {
		for _, r := range recordedOf(t, kind) {
			v, body := statsBody(t, r)
			for i := range min(len(body), 400) {
				for _, b := range []byte{0, 1, 7, 0x80, 0xff} {
					bad := append([]byte(nil), body...)
					bad[i] = b
					if err := parse(v, bad); err != nil {
						require.ErrorIs(t, err, ofgroup.ErrMalformed)
					}
				}
			}
		}
	}
}

func TestCountersThatAreNotKnownArePassedOver(t *testing.T) {
	// An unknown class, an unknown field, a packet count that is too short, a byte count.
	f, err := ofconn.ParseFlowTotals(ofgroup.OpenFlow15, spaced("0000001f ffff0603 aabbcc 80024002 0102 80020804 00000005 80020a08 0000000000000009 00")[:32])
	require.ErrorIs(t, err, ofgroup.ErrMalformed, "its length is a byte short")
	require.Zero(t, f)
	f, err = ofconn.ParseFlowTotals(ofgroup.OpenFlow15, spaced("00000025 ffff0603 aabbcc 80024002 0102 80020804 00000005 80020a08 0000000000000009 000000"))
	require.NoError(t, err)
	require.Equal(t, ofconn.FlowTotals{Packets: ofconn.NotCounted, Bytes: 9}, f)
}

func TestStatisticsOwnTheirMemory(t *testing.T) {
	for _, r := range recordedOf(t, "flow_stats_reply") {
		v, body := statsBody(t, r)
		flows, err := ofconn.ParseFlowStats(v, body)
		require.NoError(t, err)
		want := append([]byte(nil), flows[1].Match...)
		clear(body)
		require.Equal(t, want, flows[1].Match)
		_ = append(flows[0].Match, 0xff)
		require.NotEqual(t, byte(0xff), flows[0].Instructions[0])
	}
}
