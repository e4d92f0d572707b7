package mroute

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// wishes is a Policy that the test changes: where each group leaves.
type wishes struct {
	mu  sync.Mutex
	out map[string][]Out
}

func (w *wishes) set(group string, interfaces ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.out == nil {
		w.out = make(map[string][]Out)
	}
	w.out[group] = nil
	for _, name := range interfaces {
		w.out[group] = append(w.out[group], Out{Interface: name})
	}
}

func (w *wishes) policy(f Flow) Decision {
	w.mu.Lock()
	defer w.mu.Unlock()
	return Decision{Out: w.out[f.Group.String()]}
}

// run starts a Router on the Socket, until the test's end.
func run(t *testing.T, s *Socket, cfg RouterConfig) *Router {
	t.Helper()
	r, err := NewRouter(s, cfg)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- r.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-ended)
	})
	// The first thing that Run does is to give the inputs their VIFs.
	until(t, func() bool {
		for _, name := range cfg.Inputs {
			if !contains(t, "ip_mr_vif", name) {
				return false
			}
		}
		return true
	})
	return r
}

func contains(t *testing.T, table, name string) bool {
	return slices.Contains(strings.Fields(kernelTable(t, table)), name)
}

// until calls f on the test's own thread until it is true.
func until(t *testing.T, f func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !f(); time.Sleep(time.Millisecond) {
		require.True(t, time.Now().Before(end), "it does not come")
	}
}

func status(t *testing.T, r *Router) Status {
	t.Helper()
	s, err := r.Status(t.Context())
	require.NoError(t, err)
	return s
}

// entries waits until the Router has n entries, and returns them.
func entries(t *testing.T, r *Router, n int) []Entry {
	t.Helper()
	until(t, func() bool { return len(status(t, r).Entries) == n })
	return status(t, r).Entries
}

func TestStreamIsRoutedFromItsFirstPacketAndVIFsComeWithTheirFirstUse(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	from, to := newHost(t, 1), newHost(t, 2)
	dummies(t, 40)
	var w wishes
	w.set(group.String(), "v2", "v1", "nowhere-yet")
	r := run(t, open(t), RouterConfig{Inputs: []string{"v1"}, Policy: w.policy})
	require.False(t, contains(t, "ip_mr_vif", "v2"), "nobody needs it yet")
	in, out := from.sender(t), to.udp(t, group.String()+":5000")
	for n := range 3 {
		send(t, in, group.String(), fmt.Sprint(n))
		require.Equal(t, fmt.Sprint(n), receive(t, out))
	}
	e := entries(t, r, 1)[0]
	require.Equal(t, SG{source, group}, e.SG)
	require.Equal(t, "v1", e.In)
	require.Equal(t, []string{"v2"}, e.Out, "not back to v1")
	require.Equal(t, RouterStats{NoCache: 1}, status(t, r).Stats)

	w.set(group.String())
	require.NoError(t, r.Refresh(t.Context(), group))
	require.False(t, contains(t, "ip_mr_vif", "v2"), "freed with its last route")
	require.True(t, contains(t, "ip_mr_vif", "v1"))
}

func TestUnwantedStreamsDoNotKeepAWantedOneOut(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	from, to := newHost(t, 1), newHost(t, 2)
	var w wishes
	w.set(group.String(), "v2")
	r := run(t, open(t), RouterConfig{Inputs: []string{"v1"}, Policy: w.policy, NegativeAfter: time.Hour})
	in, out := from.sender(t), to.udp(t, group.String()+":5000")
	for n := range 20 {
		send(t, in, fmt.Sprintf("233.252.1.%d", n), "unwanted")
	}
	send(t, in, group.String(), "wanted")
	require.Equal(t, "wanted", receive(t, out))
	for _, e := range entries(t, r, 21) {
		require.Equal(t, e.Group == group, len(e.Out) > 0, "%v", e)
	}
}

func TestReceiverThatComesAfterTheStreamGetsEverySourceWithoutAnUpcall(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	from, to := newHost(t, 1), newHost(t, 2)
	var w wishes
	r := run(t, open(t), RouterConfig{Inputs: []string{"v1"}, Policy: w.policy, NegativeAfter: time.Hour})
	require.NoError(t, from.run(func() error {
		return runIP(nil, "addr add 10.0.1.3/24 dev eth0", "addr add 10.0.1.4/24 dev eth0")
	}))
	senders := []sender{{from.sender(t), "10.0.1.2"}, {from.senderAt(t, "10.0.1.3"), "10.0.1.3"}, {from.senderAt(t, "10.0.1.4"), "10.0.1.4"}}
	for _, s := range senders {
		send(t, s.conn, group.String(), "nobody is there")
	}
	for _, e := range entries(t, r, 3) {
		require.Empty(t, e.Out)
	}

	out := to.udp(t, group.String()+":5000")
	w.set(group.String(), "v2")
	require.NoError(t, r.Refresh(t.Context(), group))
	for _, s := range senders {
		send(t, s.conn, group.String(), s.addr)
		require.Equal(t, s.addr, receive(t, out))
	}
	require.Equal(t, uint64(3), status(t, r).Stats.NoCache)

	w.set(group.String())
	require.NoError(t, r.Refresh(t.Context(), group))
	for _, e := range entries(t, r, 3) {
		require.Empty(t, e.Out)
	}
}

func TestRouteTheKernelLostComesBackWithTheNextPacketAndWithTheNextTick(t *testing.T) {
	t.Parallel()
	for name, tick := range map[string]time.Duration{"packet": time.Hour, "tick": time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			enterNamespace(t)
			from, to := newHost(t, 1), newHost(t, 2)
			var w wishes
			w.set(group.String(), "v2")
			s := open(t)
			r := run(t, s, RouterConfig{Inputs: []string{"v1"}, Policy: w.policy, Tick: tick})
			in, out := from.sender(t), to.udp(t, group.String()+":5000")
			send(t, in, group.String(), "before")
			require.Equal(t, "before", receive(t, out))
			flush(t, s)
			if tick < time.Hour {
				until(t, func() bool { return status(t, r).Stats.Lost == 1 })
				require.True(t, contains(t, "ip_mr_cache", "0100FCE9"))
			}
			send(t, in, group.String(), "after")
			require.Equal(t, "after", receive(t, out))
			require.Equal(t, uint64(1), status(t, r).Stats.Lost)
			require.Len(t, status(t, r).Entries, 1)
		})
	}
}

func TestEntriesWithoutPacketsAreRemoved(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	from := newHost(t, 1)
	newHost(t, 2)
	var w wishes
	w.set(group.String(), "v2")
	r := run(t, open(t), RouterConfig{
		Inputs: []string{"v1"}, Policy: w.policy,
		Tick: time.Millisecond, StaleAfter: 100 * time.Millisecond, NegativeAfter: 50 * time.Millisecond,
	})
	in := from.sender(t)
	send(t, in, group.String(), "wanted")
	send(t, in, "233.252.0.2", "unwanted")
	until(t, func() bool { return status(t, r).Stats.NoCache == 2 })
	entries(t, r, 0)
	require.Equal(t, uint64(2), status(t, r).Stats.Stale)
	require.False(t, contains(t, "ip_mr_cache", "0100FCE9"))
	require.False(t, contains(t, "ip_mr_vif", "v2"))
}

func TestPacketsAtTheWrongInterfaceDoNotKeepARouteAlive(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	moved := newHost(t, 1)
	dummies(t, 2)
	s := open(t)
	r := run(t, s, RouterConfig{
		Inputs: []string{"d0", "v1"}, Tick: time.Millisecond, NegativeAfter: 200 * time.Millisecond, MoveAfter: time.Hour,
	})
	// The stream came at d0 once.
	v, ok := s.VIFOf(index(t, "d0"))
	require.True(t, ok)
	require.NoError(t, r.do(t.Context(), func(c *core, now time.Time) { c.upcall(&Upcall{Kind: NoCache, VIF: v, SG: SG{source, group}}, now) }))
	require.Equal(t, "d0", entries(t, r, 1)[0].In)
	in := moved.sender(t)
	until(t, func() bool {
		send(t, in, group.String(), "elsewhere")
		return status(t, r).Stats.Stale == 1
	})
	until(t, func() bool {
		send(t, in, group.String(), "elsewhere")
		e := status(t, r).Entries
		return len(e) == 1 && e[0].In == "v1"
	})
}

func TestStreamThatMovesIsFollowed(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	a, b, to := newHost(t, 1), newHost(t, 3), newHost(t, 2)
	require.NoError(t, b.run(func() error { return runIP(nil, "addr add 10.0.1.2/32 dev eth0") }))
	sysctl(t, "conf/all/rp_filter", "0")
	sysctl(t, "conf/v3/rp_filter", "0")
	var w wishes
	w.set(group.String(), "v2")
	r := run(t, open(t), RouterConfig{Inputs: []string{"v1", "v3"}, Policy: w.policy, MoveAfter: 200 * time.Millisecond})
	out := to.udp(t, group.String()+":5000")
	send(t, a.sender(t), group.String(), "there")
	require.Equal(t, "there", receive(t, out))
	in := b.senderAt(t, "10.0.1.2")
	until(t, func() bool {
		send(t, in, group.String(), "here")
		return status(t, r).Stats.Moves == 1
	})
	send(t, in, group.String(), "last")
	for text := ""; text != "last"; text = receive(t, out) {
	}
	require.Equal(t, "v3", entries(t, r, 1)[0].In)
}

func TestTwoInputsOnOneLANLoseAndDoubleNothing(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	lan, to := newHost(t, 1), newHost(t, 2)
	// The host's second port to the router: br0 has both, and what the host sends leaves at both.
	require.NoError(t, runIP(lan.ns, "link add u2 type veth peer name eth1 netns /proc/self/fd/3", "link set u2 up"))
	require.NoError(t, lan.run(func() error {
		return runIP(nil,
			"link add br0 type bridge mcast_snooping 0", "link set eth0 master br0", "link set eth1 master br0",
			"link set eth1 up", "addr flush dev eth0", "addr add 10.0.1.2/24 dev br0", "link set br0 up",
			"route add 224.0.0.0/4 dev br0", "route add default via 10.0.1.1",
		)
	}))
	ip(t, "link set u2 down", "link set u2 up")
	sysctl(t, "conf/all/rp_filter", "0")
	sysctl(t, "conf/u2/rp_filter", "0")
	var w wishes
	w.set(group.String(), "v2")
	s := open(t)
	r := run(t, s, RouterConfig{Inputs: []string{"v1", "u2"}, Policy: w.policy, MoveAfter: 500 * time.Millisecond, NegativeAfter: time.Hour})
	in, out := lan.sender(t), to.udp(t, group.String()+":5000")
	until(t, func() bool {
		send(t, in, "233.252.0.2", "are both ports there?")
		c, _ := s.RouteCounters(SG{source, netip.MustParseAddr("233.252.0.2")})
		return c.WrongIf > 0 && c.Good() > 0
	})
	moves := status(t, r).Stats.Moves
	// Longer than MoveAfter, so that the other input is weighed at least once.
	for n, end := 0, time.Now().Add(time.Second); time.Now().Before(end); n++ {
		send(t, in, group.String(), fmt.Sprint(n))
		require.Equal(t, fmt.Sprint(n), receive(t, out))
	}
	c, err := s.RouteCounters(SG{source, group})
	require.NoError(t, err)
	require.NotZero(t, c.WrongIf, "the packets came at both")
	require.Equal(t, moves, status(t, r).Stats.Moves)
}

func TestNewInterfaceSeesNothingOfRoutesToTheOneThatVanished(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	from := newHost(t, 1)
	dummies(t, 1)
	var w wishes
	w.set(group.String(), "d0")
	w.set("233.252.0.2", "v9")
	s := open(t)
	r := run(t, s, RouterConfig{Inputs: []string{"v1"}, Policy: w.policy})
	in := from.sender(t)
	send(t, in, group.String(), "x")
	until(t, func() bool { return len(entries(t, r, 1)[0].Out) == 1 })
	ip(t, "link del d0")
	until(t, func() bool { return len(entries(t, r, 1)[0].Out) == 0 })

	newHost(t, 9)
	send(t, in, "233.252.0.2", "y")
	until(t, func() bool { return contains(t, "ip_mr_vif", "v9") })
	v, ok := s.VIFOf(index(t, "v9"))
	require.True(t, ok)
	require.Equal(t, VIF(1), v, "the number of d0")
	send(t, in, group.String(), "z")
	c, err := s.VIFCounters(v)
	require.NoError(t, err)
	require.Equal(t, uint64(1), c.PacketsOut, "the one that was asked for")
}

func TestInterfaceThatReturnsWithAnotherIndexGetsItsRoutesBack(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	from := newHost(t, 1)
	newHost(t, 2)
	var w wishes
	w.set(group.String(), "v2")
	s := open(t)
	r := run(t, s, RouterConfig{Inputs: []string{"v1"}, Policy: w.policy})
	in := from.sender(t)
	send(t, in, group.String(), "x")
	until(t, func() bool { return len(entries(t, r, 1)[0].Out) == 1 })
	before := index(t, "v2")
	ip(t, "link del v2")
	until(t, func() bool { return len(entries(t, r, 1)[0].Out) == 0 })
	to := newHost(t, 2)
	require.NotEqual(t, before, index(t, "v2"))
	until(t, func() bool { return len(entries(t, r, 1)[0].Out) == 1 })
	out := to.udp(t, group.String()+":5000")
	send(t, in, group.String(), "again")
	require.Equal(t, "again", receive(t, out))
}

func TestInputThatVanishesTakesItsEntriesAlongAndIsHeardAgainWhenItReturns(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	first, to := newHost(t, 1), newHost(t, 2)
	var w wishes
	w.set(group.String(), "v2")
	r := run(t, open(t), RouterConfig{Inputs: []string{"v1"}, Policy: w.policy})
	send(t, first.sender(t), group.String(), "x")
	entries(t, r, 1)
	ip(t, "link del v1")
	entries(t, r, 0)
	require.False(t, contains(t, "ip_mr_cache", "0100FCE9"))

	second, out := newHost(t, 1), to.udp(t, group.String()+":5000")
	until(t, func() bool { return contains(t, "ip_mr_vif", "v1") })
	send(t, second.sender(t), group.String(), "again")
	require.Equal(t, "again", receive(t, out))
}

func TestRunEndsWithItsContextAndWithItsSocket(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	s := open(t)
	r, err := NewRouter(s, RouterConfig{})
	require.NoError(t, err)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(os.ErrInvalid)
	require.NoError(t, r.Run(ctx))
	require.ErrorIs(t, r.Run(t.Context()), ErrEnded)
	require.ErrorIs(t, r.Refresh(t.Context(), group), ErrEnded)
	_, err = r.Status(t.Context())
	require.ErrorIs(t, err, ErrEnded)

	r, err = NewRouter(s, RouterConfig{})
	require.NoError(t, err)
	require.ErrorIs(t, r.Refresh(ctx, group), context.Canceled, "before Run it waits")
	ended := make(chan error)
	go func() { ended <- r.Run(context.Background()) }()
	require.NoError(t, s.Close())
	require.ErrorIs(t, <-ended, os.ErrClosed)
}

func TestLinkLocalGroupIsNotRefreshed(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	r := run(t, open(t), RouterConfig{})
	require.ErrorIs(t, r.Refresh(t.Context(), netip.MustParseAddr("224.0.0.251")), ErrLinkLocal)
}
