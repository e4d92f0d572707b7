//go:build linux

package main

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/internal/ovslab"
	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// A storm is every port joining every group, a port after the other, within a second.
const (
	stormPorts  = 100
	stormGroups = 100
)

// storm is what one has cost.
type storm struct {
	reported    time.Duration // from its first report to its last
	settled     time.Duration // to when all was on the switch and confirmed
	mods        int           // GROUP_MODs of the group that had most
	unconfirmed int           // messages at a time, at most
}

// unleash makes a storm upon an agent that leaves so much time between two changes of a group.
func unleash(t testing.TB, interval time.Duration) storm {
	var ports []string
	for n := range stormPorts {
		ports = append(ports, fmt.Sprintf("p%d", n+1))
	}
	lab := ovslab.New(t, ovslab.Config{Ports: ports})
	relay, err := lab.Relay()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, relay.Close()) })
	a := runAgent(t, relay.Path(), []string{
		"-query-interval", "125s", "-query-response", "10s", // nobody is there to answer
		"-group-interval", interval.String(), "-packet-rate", "200",
	})
	relay.Reset()

	var s storm
	stop := s.watch(a)
	began := time.Now()
	report := dialReports(t, lab)
	report(ports)
	s.reported = time.Since(began)
	// A switch keeps a hundred packet-ins for who reads too slowly, and drops the others. Hosts repeat themselves.
	repeat := time.NewTicker(2 * time.Second)
	defer repeat.Stop()
	eventually(t, func() bool {
		select {
		case <-repeat.C:
			report(ports)
		default:
		}
		now := a.cache.Statistics()
		done := slices.ContainsFunc(now.Sinks, func(s mcast.SinkStatistics) bool { return s.Name == "switch" && s.Pending == 0 })
		return done && now.Memberships == stormPorts*stormGroups
	}, time.Minute, time.Millisecond)
	s.settled = time.Since(began)
	stop()
	s.mods = mostGroupMods(relay.ToSwitch())
	requireAllInAll(t, lab)
	return s
}

// dialReports returns how the hosts behind ports report, a port after the other, within a second. It speaks to the switch
// as ovs-appctl does, for which a process each time would take too long.
func dialReports(t testing.TB, lab *ovslab.Lab) func(ports []string) {
	conn, err := net.Dial("unix", lab.Dir()+"/vswitchd.ctl")
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	to, from := json.NewEncoder(conn), json.NewDecoder(conn)
	call := func(params []string) {
		require.NoError(t, to.Encode(map[string]any{"id": 0, "method": "netdev-dummy/receive", "params": params}))
		var reply struct{ Error any }
		require.NoError(t, from.Decode(&reply))
		require.Nil(t, reply.Error)
	}
	return func(ports []string) {
		began, sent := time.Now(), 0
		for n, port := range ports {
			for frames := range slices.Chunk(joinsOf(t, n), 20) {
				time.Sleep(time.Until(began.Add(time.Duration(sent) * time.Second / (stormPorts * stormGroups))))
				call(append([]string{port}, frames...))
				sent += len(frames)
			}
		}
	}
}

// watch notes how many messages wait for their confirmation.
func (s *storm) watch(a *agent) (stop func()) {
	done := make(chan struct{})
	var ended sync.WaitGroup
	ended.Go(func() {
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			if session, err := a.conn.Session(); err == nil {
				s.unconfirmed = max(s.unconfirmed, session.Stats().Pending)
			}
			select {
			case <-tick.C:
			case <-done:
				return
			}
		}
	})
	return func() { close(done); ended.Wait() }
}

// joinsOf are the reports of a host behind the n-th port, one for each group, in hexadecimal.
func joinsOf(t testing.TB, n int) []string {
	var frames []string
	for g := range stormGroups {
		h := igmp.Header{EthSrc: igmp.MAC{2, 0, 0, 0, 0, byte(n)}, Src: netip.AddrFrom4([4]byte{192, 0, 2, byte(n + 1)})}
		frame, err := igmp.AppendFrame(nil, h, &igmp.ReportV2{Group: netip.AddrFrom4([4]byte{239, 1, 1, byte(g)})})
		require.NoError(t, err)
		frames = append(frames, hex.EncodeToString(frame))
	}
	return frames
}

// mostGroupMods is how many GROUP_MODs the group had that had most.
func mostGroupMods(sent ovslab.Traffic) int {
	const typeGroupMod, offID = 15, 12 // OpenFlow 1.5.1, 7.3.4.3
	most, of := 0, map[ofgroup.ID]int{}
	for _, m := range sent.Type(typeGroupMod) {
		if id := ofgroup.ID(binary.BigEndian.Uint32(m[offID:])); id >= groupFirst {
			of[id]++
			most = max(most, of[id])
		}
	}
	return most
}

// requireAllInAll: the switch has every group, with every port.
func requireAllInAll(t testing.TB, lab *ovslab.Lab) {
	dump, err := lab.Ofctl(t.Context(), "dump-groups", lab.Mgmt())
	require.NoError(t, err)
	groups := 0
	for line := range strings.Lines(dump) {
		var id ofgroup.ID
		if _, err := fmt.Sscanf(strings.TrimSpace(line), "group_id=%d,", &id); err == nil && id >= groupFirst {
			groups++
			require.Equal(t, stormPorts, strings.Count(line, "actions=output:"), line)
		}
	}
	require.Equal(t, stormGroups, groups)
}

// How long it takes depends on the machine, and how often a group changes on how long it takes.
func TestAStormOfJoinsIsFewChangesAndFewOfThemAtATime(t *testing.T) {
	const interval = 200 * time.Millisecond
	s := unleash(t, interval)
	require.LessOrEqual(t, s.mods, 2+int(s.settled/interval))
	require.LessOrEqual(t, s.unconfirmed, 20)
}

func BenchmarkStorm(b *testing.B) {
	for b.Loop() {
		s := unleash(b, 50*time.Millisecond)
		b.ReportMetric(s.reported.Seconds(), "s-reported")
		b.ReportMetric(s.settled.Seconds(), "s-settled")
		b.ReportMetric(float64(s.mods), "GROUP_MODs/group")
		b.ReportMetric(float64(s.unconfirmed), "unconfirmed")
	}
	b.ReportMetric(0, "ns/op")
}
