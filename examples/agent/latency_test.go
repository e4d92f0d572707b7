//go:build linux

package main

import (
	"context"
	"encoding/binary"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/internal/ovslab"
)

// race is two ways from a join to its stream on one switch, the agent's and the switch's own snooping: the multicast
// address says which, and they take turns, so that both have the same datapath flows beside them and the same machine.
type race struct {
	*rig
	joins uint16
}

// Groups of the first prefix are the agent's, those of the second the switch's own.
var (
	agents   = netip.MustParsePrefix("239.1.0.0/16")
	switches = netip.MustParsePrefix("239.2.0.0/16")
)

func newRace(t testing.TB) *race {
	r := newLab(t, ovslab.HostConfig{Name: "receiver"}, ovslab.HostConfig{Name: "sender"})
	_, err := r.lab.Vsctl(t.Context(), "set", "bridge", r.lab.Bridge(), "mcast_snooping_enable=true",
		"other_config:mcast-snooping-disable-flood-unregistered=true")
	require.NoError(t, err)
	_, err = r.lab.Ofctl(t.Context(), "add-flow", r.lab.Mgmt(), "priority=300,ip,nw_dst="+switches.String()+",actions=NORMAL")
	require.NoError(t, err)
	r.spawnAgent("-query-interval", "125s", "-query-response", "10s") // joins that are injected answer no query
	return &race{rig: r}
}

// both measures a join of another group in each way.
func (r *race) both() (ours, theirs time.Duration) {
	r.joins++
	return r.join(agents), r.join(switches)
}

// join is the time from a report on the wire to the first packet that arrives of a stream that is running already.
func (r *race) join(prefix netip.Prefix) time.Duration {
	b := prefix.Addr().As4()
	binary.BigEndian.PutUint16(b[2:], r.joins)
	g := netip.AddrFrom4(b)
	ctx, stop := context.WithCancel(r.t.Context())
	ended := make(chan error, 1)
	go func() { ended <- r.lab.Host("sender").Send(ctx, ovslab.Stream{To: g, Packets: 100_000, Rate: 5_000}) }()
	defer func() { stop(); require.ErrorIs(r.t, <-ended, context.Canceled) }()
	time.Sleep(settled) // the switch knows what to do with the stream, which is nothing

	receiver := r.lab.Host("receiver")
	seen, err := receiver.Capture(func(f ovslab.Frame) bool { return isReportOf(g)(f) || isStreamTo(g)(f) })
	require.NoError(r.t, err)
	defer seen.Close()
	require.NoError(r.t, receiver.Inject(reportV2(r.t, receiver, g)))
	frames, err := seen.Await(within(r.t, 10*time.Second), atLeast(2))
	require.NoError(r.t, err, "a report, and the stream")
	require.True(r.t, frames[0].Sent, "nothing comes before somebody wants it")
	require.False(r.t, frames[1].Sent)
	return frames[1].At.Sub(frames[0].At)
}

func isReportOf(g netip.Addr) func(ovslab.Frame) bool {
	return func(f ovslab.Frame) bool {
		var d igmp.Decoder
		v, err := d.Frame(f.Data)
		return err == nil && f.Sent && v.Type == igmp.TypeReportV2 && v.Group == g
	}
}

func reportV2(t testing.TB, h *ovslab.Host, g netip.Addr) []byte {
	mac, err := net.ParseMAC(h.MAC())
	require.NoError(t, err)
	frame, err := igmp.AppendFrame(nil, igmp.Header{EthSrc: igmp.MAC(mac), Src: h.Addr()}, &igmp.ReportV2{Group: g})
	require.NoError(t, err)
	return frame
}

// The benchmark measures; here both ways have to work, at the same time.
func TestAJoinBringsTheStreamAsTheSwitchsOwnSnoopingDoes(t *testing.T) {
	r := newRace(t)
	for range 5 {
		r.both()
	}
}

// A hundred joins at least, whatever b.N says, so that the percentiles mean something.
func BenchmarkJoinToFirstPacket(b *testing.B) {
	r := newRace(b)
	var us, them []time.Duration
	measure := func() {
		ours, theirs := r.both()
		us, them = append(us, ours), append(them, theirs)
	}
	for range 100 {
		measure()
	}
	for b.Loop() {
		measure()
	}
	flows, err := r.lab.Appctl(b.Context(), "dpctl/dump-flows")
	require.NoError(b, err)
	b.ReportMetric(float64(strings.Count(flows, "\n")), "datapath-flows")
	b.ReportMetric(0, "ns/op")
	for name, took := range map[string][]time.Duration{"agent": us, "snooping": them} {
		slices.Sort(took)
		b.ReportMetric(took[len(took)/2].Seconds()*1e3, "ms-p50-"+name)
		b.ReportMetric(took[len(took)*99/100].Seconds()*1e3, "ms-p99-"+name)
	}
}
