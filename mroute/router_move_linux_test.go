package mroute

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

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
