//go:build linux

package main

import (
	"context"
	"maps"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
)

// Hosts for tests of source filters: three that stay what they are, one that changes, and two sources.
var filtering = []ovslab.HostConfig{
	{Name: "any"}, {Name: "one"}, {Name: "not"}, {Name: "changing"}, {Name: "s1"}, {Name: "s2"},
}

// sourceRig has the hosts "any" without a filter, "one" that wants s1 only, and "not" that wants all but s1.
type sourceRig struct {
	*rig
	s1, s2 netip.Addr
	taps   map[string]*ovslab.Receiver
}

func newSourceRig(t *testing.T, r *rig) *sourceRig {
	t.Helper()
	s := &sourceRig{rig: r, s1: r.lab.Host("s1").Addr(), s2: r.lab.Host("s2").Addr(), taps: map[string]*ovslab.Receiver{}}
	for _, h := range []string{"any", "one", "not", "changing"} {
		s.taps[h] = r.tap(h, group)
	}
	return s
}

// joinAll has the three hosts join.
func (r *sourceRig) joinAll() map[string]*ovslab.Membership {
	r.t.Helper()
	members := map[string]*ovslab.Membership{
		"any": r.join("any", group), "one": r.join("one", group, r.s1), "not": r.join("not", group),
	}
	require.NoError(r.t, members["not"].Exclude(r.s1))
	return members
}

var flowForSource = regexp.MustCompile(`(?:nw_src=([0-9.]+),)?nw_dst=[0-9.]+ actions=group:(\d+)`)

// ports are those that the switch sends to what a source sends, by the flow that decides.
func (r *sourceRig) ports(source netip.Addr) []string {
	flows, err := r.lab.Ofctl(r.t.Context(), "--no-stats", "dump-flows", r.lab.Mgmt(), "table=101,ip,nw_dst="+group.String())
	require.NoError(r.t, err)
	id := ""
	for line := range strings.Lines(flows) {
		switch m := flowForSource.FindStringSubmatch(line); {
		case m == nil:
		case m[1] == source.String():
			return r.groupPorts(m[2])
		case m[1] == "":
			id = m[2]
		}
	}
	if id == "" {
		return nil
	}
	return r.groupPorts(id)
}

// await waits until what each source sends goes to these ports.
func (r *sourceRig) await(fromS1, fromS2 []string) {
	r.t.Helper()
	eventually(r.t, func() bool { return slices.Equal(r.ports(r.s1), fromS1) && slices.Equal(r.ports(r.s2), fromS2) },
		8*time.Second, 20*time.Millisecond, "ports of s1: %v, of s2: %v", fromS1, fromS2)
	time.Sleep(settled)
}

// sequences are the packets of a source that reached a host, by how often, among those sent meanwhile.
func (r *sourceRig) sequences(host string, source netip.Addr, from, to time.Time) map[uint32]int {
	times := map[uint32]int{}
	for _, a := range r.taps[host].Arrivals() {
		if a.From == source && !a.Sent.Before(from) && a.Sent.Before(to) {
			times[a.Seq]++
		}
	}
	return times
}

// all are the packets of a source that reached a host.
func (r *sourceRig) all(host string, source netip.Addr) map[uint32]int {
	return r.sequences(host, source, time.Time{}, time.Now().Add(time.Hour))
}

// once says that packets 0 to n-1 were there once each.
func once(n int) map[uint32]int {
	times := map[uint32]int{}
	for seq := range n {
		times[uint32(seq)] = 1
	}
	return times
}

func TestAHostGetsTheSourcesThatItWantsAndNoOthers(t *testing.T) {
	t.Parallel()
	r := newSourceRig(t, newGatewayRig(t, filtering...))
	gateway, err := r.lab.Capture("gw0", isStreamTo(group))
	require.NoError(t, err)
	members := r.joinAll()
	r.await([]string{"1", gatewayPort, "2"}, []string{"1", gatewayPort, "3"})
	const n = 200
	for _, h := range []string{"s1", "s2"} {
		r.send(h, ovslab.Stream{To: group, Packets: n})
	}
	for _, host := range []string{"any", "one", "not"} {
		wanted := map[string]int{"any": 2 * n, "one": n, "not": n}[host]
		_, err := r.taps[host].Await(within(t, 5*time.Second), wanted)
		require.NoError(t, err)
	}
	_, err = gateway.Await(within(t, 5*time.Second), atLeast(2*n))
	require.NoError(t, err)
	time.Sleep(settled)
	require.Equal(t, once(n), r.all("any", r.s1))
	require.Equal(t, once(n), r.all("any", r.s2))
	require.Equal(t, once(n), r.all("one", r.s1))
	require.Empty(t, r.all("one", r.s2))
	require.Empty(t, r.all("not", r.s1))
	require.Equal(t, once(n), r.all("not", r.s2))
	require.Len(t, gateway.Frames(), 2*n)

	// A source that nobody here wants still reaches the outside.
	require.NoError(t, members["any"].Exclude(r.s1))
	require.NoError(t, members["one"].Leave())
	r.await([]string{gatewayPort}, []string{"1", gatewayPort, "3"})
	r.send("s1", ovslab.Stream{To: group, Packets: n})
	_, err = gateway.Await(within(t, 5*time.Second), atLeast(3*n))
	require.NoError(t, err)
	time.Sleep(settled)
	require.Equal(t, once(n), r.all("any", r.s1), "what it got before")
	require.Equal(t, once(n), r.all("one", r.s1), "what it got before")
}

// filterChanges are what one host goes through, each with what it wants then.
var filterChanges = []struct {
	name   string
	change func(r *sourceRig, m *ovslab.Membership) error
	s1, s2 bool
}{
	{"joins", func(*sourceRig, *ovslab.Membership) error { return nil }, true, true},
	{"blocks s1", func(r *sourceRig, m *ovslab.Membership) error { return m.Exclude(r.s1) }, false, true},
	{"blocks s2 in its place", func(r *sourceRig, m *ovslab.Membership) error { return m.Exclude(r.s2) }, true, false},
	{"includes s1 only", func(r *sourceRig, m *ovslab.Membership) error { return m.Include(r.s1) }, true, false},
	{"adds s2", func(r *sourceRig, m *ovslab.Membership) error { return m.Include(r.s1, r.s2) }, true, true},
	{"gives s1 up", func(r *sourceRig, m *ovslab.Membership) error { return m.Include(r.s2) }, false, true},
	{"excludes s1 instead", func(r *sourceRig, m *ovslab.Membership) error { return m.Exclude(r.s1) }, false, true},
	{"wants all", func(_ *sourceRig, m *ovslab.Membership) error { return m.Exclude() }, true, true},
	{"includes s2 only", func(r *sourceRig, m *ovslab.Membership) error { return m.Include(r.s2) }, false, true},
	{"wants all again", func(_ *sourceRig, m *ovslab.Membership) error { return m.Exclude() }, true, true},
	{"blocks both", func(r *sourceRig, m *ovslab.Membership) error { return m.Exclude(r.s1, r.s2) }, false, false},
	{"leaves", func(_ *sourceRig, m *ovslab.Membership) error { return m.Leave() }, false, false},
}

// Whatever a host does to its filter while both sources send 1,000 packets a second, the others get
// every packet that they want once and nothing else, and so does the host itself, of what it goes on
// wanting all the time, and of the rest from the time on when it is settled.
func TestOthersMissNothingWhileAHostChangesItsFilter(t *testing.T) {
	t.Parallel()
	r := newSourceRig(t, newRig(t, nil, filtering...))
	r.joinAll()
	r.await([]string{"1", "2"}, []string{"1", "3"})
	stop := r.stream("s1", "s2")
	m := r.join("changing", group)
	since := map[netip.Addr]time.Time{} // when it was settled that it gets what a source sends
	for _, c := range filterChanges {
		require.NoError(t, c.change(r, m), c.name)
		fromS1, fromS2 := []string{"1", "2"}, []string{"1", "3"}
		if c.s1 {
			fromS1 = append(fromS1, "4")
		}
		if c.s2 {
			fromS2 = append(fromS2, "4")
		}
		r.await(fromS1, fromS2)
		settled := time.Now()
		time.Sleep(200 * time.Millisecond)
		for source, wanted := range map[netip.Addr]bool{r.s1: c.s1, r.s2: c.s2} {
			if !wanted {
				delete(since, source)
				require.Empty(t, r.sequences("changing", source, settled, time.Now()), "%s: what %v sent", c.name, source)
			} else if _, before := since[source]; !before {
				since[source] = settled
			}
		}
		r.requireAll(c.name, since, time.Now())
	}
	stop()

	sent := map[netip.Addr]map[uint32]int{}
	for _, source := range []netip.Addr{r.s1, r.s2} {
		sent[source] = r.all("any", source)
		require.Greater(t, len(sent[source]), 5000)
		require.Equal(t, once(len(sent[source])), sent[source])
		for seq, times := range r.all("changing", source) {
			require.Equal(t, 1, times, "packet %d of %v", seq, source)
		}
	}
	require.Equal(t, sent[r.s1], r.all("one", r.s1))
	require.Empty(t, r.all("one", r.s2))
	require.Empty(t, r.all("not", r.s1))
	require.Equal(t, sent[r.s2], r.all("not", r.s2))
}

// requireAll says that the changing host got each packet once that was sent since, source by source.
func (r *sourceRig) requireAll(why string, since map[netip.Addr]time.Time, until time.Time) {
	r.t.Helper()
	for source, from := range since {
		var sent, got map[uint32]int
		arrived := func() bool {
			sent, got = r.sequences("any", source, from, until), r.sequences("changing", source, from, until)
			return len(sent) > 0 && maps.Equal(sent, got)
		}
		for end := time.Now().Add(2 * time.Second); !arrived() && time.Now().Before(end); time.Sleep(settled) {
		}
		require.NotEmpty(r.t, sent)
		require.Equal(r.t, sent, got, "%s: what %v sent", why, source)
	}
}

// An agent is killed while both sources send, and another one started: filters and all, what is on the
// switch stays as it is, and each host gets every packet that it wants once.
func TestARestartOfTheAgentDisturbsNoFilter(t *testing.T) {
	t.Parallel()
	lab := newLab(t, filtering...)
	first := lab.launch(nil)
	r := newSourceRig(t, lab)
	r.joinAll()
	r.await([]string{"1", "2"}, []string{"1", "3"})
	flows := r.sinkFlows()
	require.Len(t, flows, 2)
	time.Sleep(2 * saveEvery) // until the state file has it all
	stop := r.stream("s1", "s2")
	time.Sleep(200 * time.Millisecond)
	first.kill()
	time.Sleep(200 * time.Millisecond)
	r.launch(nil)
	// Beyond the time that hosts have to confirm what the state file says.
	never(t, func() bool { return !slices.Equal(flows, r.sinkFlows()) }, 5*time.Second, 100*time.Millisecond)
	stop()

	fromS1, fromS2 := r.all("any", r.s1), r.all("any", r.s2)
	require.Greater(t, len(fromS1), 3000)
	require.Equal(t, once(len(fromS1)), fromS1)
	require.Equal(t, once(len(fromS2)), fromS2)
	require.Equal(t, fromS1, r.all("one", r.s1))
	require.Empty(t, r.all("one", r.s2))
	require.Empty(t, r.all("not", r.s1))
	require.Equal(t, fromS2, r.all("not", r.s2))
}

// sinkFlows are the flows for the group.
func (r *sourceRig) sinkFlows() []string {
	dump, err := r.lab.Ofctl(r.t.Context(), "--no-stats", "dump-flows", r.lab.Mgmt(), "table=101,ip,nw_dst="+group.String())
	require.NoError(r.t, err)
	flows := slices.Sorted(strings.Lines(dump))
	return slices.DeleteFunc(flows, func(line string) bool { return !strings.Contains(line, "actions=") })
}

// stream has hosts send 1,000 packets a second each, until stop is called and all has arrived.
func (r *sourceRig) stream(hosts ...string) (stop func()) {
	ctx, cancel := context.WithCancel(r.t.Context())
	ended := make(chan error, len(hosts))
	for _, h := range hosts {
		go func() { ended <- r.lab.Host(h).Send(ctx, ovslab.Stream{To: group, Packets: 100_000}) }()
	}
	return func() {
		cancel()
		for range hosts {
			require.ErrorIs(r.t, <-ended, context.Canceled)
		}
		time.Sleep(10 * settled)
	}
}
