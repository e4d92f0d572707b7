//go:build linux

package main

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/agent/ofsink"
	"github.com/ofmcast/ofmcast/internal/ovslab"
	"github.com/ofmcast/ofmcast/internal/turmoil"
	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

const (
	soakPorts  = 100
	soakGroups = 200
	// soakStep is the time between two things that happen.
	soakStep = 10 * time.Millisecond
	// A membership that nobody refreshes ends 6 s after its last report: RV x QI + 2 x QRI.
	soakInterval = 6 * time.Second
)

// soakTime is how long the turmoil lasts.
func soakTime(t *testing.T) time.Duration { return turmoil.Time(t, 10*time.Second) }

// soak is a switch with many ports, hosts that change their minds, and an agent that has to cope.
type soak struct {
	t      *testing.T
	lab    *ovslab.Lab
	random *rand.Rand
	hosts  *crowd
	state  string
	counts map[string]int
}

// Ports, memberships, filters, agents and switches come and go at random. When that ends, what hosts want,
// what the cache knows and what the switch does are the same, and the agent has not grown.
func TestWhateverHappensSwitchAndCacheAgreeInTheEnd(t *testing.T) {
	s := newSoak(t)
	p := s.process()
	s.rage(soakTime(t)*2/3, func() {
		p.kill()
		time.Sleep(time.Duration(s.random.IntN(300)) * time.Millisecond)
		p = s.process()
	})
	p.await("switch is up to date") // until it is at work a signal just ends it
	p.stop()

	a := s.adopt() // one that can be looked into goes on where the last one has ended
	s.calm(a)
	goroutines, heap := size()
	s.rage(soakTime(t)/3, nil)
	s.calm(a)
	t.Logf("%v", s.counts)
	moreGoroutines, moreHeap := size()
	require.Less(t, moreGoroutines, goroutines+20)
	require.Less(t, moreHeap, heap+(32<<20))
}

func newSoak(t *testing.T) *soak {
	var ports []string
	for n := range soakPorts {
		ports = append(ports, fmt.Sprintf("p%d", n+1))
	}
	lab := ovslab.New(t, ovslab.Config{Ports: ports})
	random := rand.New(rand.NewPCG(turmoil.Seed(t), 0))
	return &soak{
		t: t, lab: lab, random: random, hosts: newCrowd(lab, random), state: lab.Dir() + "/agent.state",
		counts: make(map[string]int),
	}
}

func (s *soak) args() []string {
	return []string{
		"-openflow", "unix:" + s.lab.Mgmt(), "-ovsdb", "unix:" + s.lab.Dir() + "/db.sock", "-state", s.state,
		"-query-interval", "2s", "-query-response", "1s",
	}
}

// process starts an agent that can be killed.
func (s *soak) process() *process {
	self, err := os.Executable()
	require.NoError(s.t, err)
	p := &process{t: s.t, cmd: exec.Command(self, s.args()...), said: &transcript{}}
	p.cmd.Env = append(os.Environ(), actAsAgent+"=1")
	p.cmd.Stderr = p.said
	require.NoError(s.t, p.cmd.Start())
	s.t.Cleanup(p.kill)
	return p
}

// adopt starts an agent in this process.
func (s *soak) adopt() *agent {
	o, err := parseOptions(s.args(), os.Stderr)
	require.NoError(s.t, err)
	log := slog.New(slog.DiscardHandler)
	a, err := newAgent(o, log)
	require.NoError(s.t, err)
	a.past = recall(o, log)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- a.run(ctx) }()
	s.t.Cleanup(func() {
		cancel()
		require.NoError(s.t, <-ended)
	})
	require.NoError(s.t, a.conn.WaitConnected(within(s.t, 20*time.Second)))
	return a
}

// rage lets things happen for a time. crash, if there is one, kills the agent. The switch goes away at
// least once.
func (s *soak) rage(d time.Duration, crash func()) {
	began, refreshed, restarts := time.Now(), time.Now(), 0
	for ; time.Since(began) < d; time.Sleep(soakStep) {
		what := "host"
		switch n := s.random.IntN(400); {
		case n == 0, restarts == 0 && time.Since(began) > d/2:
			what = "switch"
			s.restartSwitch()
			restarts++
		case n < 4 && crash != nil:
			what = "agent"
			crash()
		case n < 14:
			what = "port"
			s.changePort()
		default:
			s.hosts.change()
		}
		s.counts[what]++
		if time.Since(refreshed) > time.Second {
			s.hosts.refresh()
			refreshed = time.Now()
		}
	}
}

func (s *soak) restartSwitch() {
	require.NoError(s.t, s.lab.KillSwitch())
	time.Sleep(time.Duration(s.random.IntN(200)) * time.Millisecond)
	require.NoError(s.t, s.lab.RestartSwitch(within(s.t, 20*time.Second)))
}

// changePort takes a port away with all that is behind it, or puts one back, at times a stranger with the
// number of the one that was there.
func (s *soak) changePort() {
	p := s.hosts.anyPort()
	if name := s.hosts.remove(p); name != "" {
		_, err := s.lab.Vsctl(s.t.Context(), "del-port", s.lab.Bridge(), name)
		require.NoError(s.t, err)
		return
	}
	name := fmt.Sprintf("%s%d", []string{"p", "x"}[s.random.IntN(2)], p)
	_, err := s.lab.Vsctl(s.t.Context(), "add-port", s.lab.Bridge(), name, "--",
		"set", "interface", name, "type=dummy", fmt.Sprintf("ofport_request=%d", p))
	require.NoError(s.t, err)
	s.hosts.add(p, name)
}

// calm waits until what hosts want, what the cache knows and what the switch does are the same.
func (s *soak) calm(a *agent) {
	for end := time.Now().Add(soakInterval); time.Now().Before(end); time.Sleep(time.Second) {
		s.hosts.refresh()
	}
	want := forwardings(s.hosts.truth())
	late := time.Now().Add(30 * time.Second)
	for !maps.Equal(want, forwardings(a.cache)) || !maps.Equal(want, s.onSwitch()) {
		if time.Now().After(late) {
			require.Equal(s.t, want, forwardings(a.cache), "the cache")
			require.Equal(s.t, want, s.onSwitch(), "the switch")
		}
		s.hosts.refresh()
		time.Sleep(time.Second)
	}
	require.NotEmpty(s.t, want)
	s.noStrays(want)
}

// onSwitch is where the switch sends what, by its flows and groups.
func (s *soak) onSwitch() map[mcast.Group]string {
	ctx := within(s.t, 20*time.Second)
	session, err := ofconn.Open(ctx, ofconn.Config{Dial: s.lab.Dial})
	require.NoError(s.t, err)
	defer session.Close()
	table := ofgroup.NewTable(session, ofgroup.TableConfig{IDs: ofgroup.NewIDAllocator(groupFirst, groupLast)})
	sink := ofsink.New(ofsink.Config[ofgroup.Port]{Table: table, Flows: session, Layout: sinkLayout, Bucket: ofsink.ToPort})
	require.NoError(s.t, sink.Adopt(ctx, session, isSinkGroup))
	rows := make(map[mcast.Group]map[netip.Addr][]ofgroup.Port)
	for _, row := range sink.Rows() {
		g, _ := table.Lookup(row.ID)
		if rows[row.Group] == nil {
			rows[row.Group] = make(map[netip.Addr][]ofgroup.Port)
		}
		var ports []ofgroup.Port
		for _, m := range membersOf(g) {
			ports = append(ports, m.Port)
		}
		rows[row.Group][row.Source] = ports
	}
	return describeRows(rows)
}

// noStrays: the switch has no more groups of the sink's than flows.
func (s *soak) noStrays(want map[mcast.Group]string) {
	ctx := within(s.t, 20*time.Second)
	session, err := ofconn.Open(ctx, ofconn.Config{Dial: s.lab.Dial})
	require.NoError(s.t, err)
	defer session.Close()
	groups, err := lookAtGroups(ctx, session, isSinkGroup)
	require.NoError(s.t, err)
	flows, err := session.FlowStats(ctx, ofconn.FlowFilter{Table: tableGroups, Cookie: cookie, CookieMask: cookieMask})
	require.NoError(s.t, err)
	require.Len(s.t, flows, len(groups)+1, "a flow a group, and the one for the others")
	require.GreaterOrEqual(s.t, len(groups), len(want))
}

// size is how many goroutines there are, and how many bytes are in use.
func size() (goroutines int, heap uint64) {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return runtime.NumGoroutine(), m.HeapAlloc
}
