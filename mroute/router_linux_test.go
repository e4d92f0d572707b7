package mroute

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestStreamIsRoutedFromItsFirstPacketAndVIFsComeWithTheirFirstUse(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	from, to := newHost(t, 1), newHost(t, 2)
	dummies(t, 49) // a hundred interfaces in all
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

func TestManyNewStreamsAtOnceAllGetTheirRoute(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	from := newHost(t, 1)
	newHost(t, 2)
	const streams = 5000
	r := run(t, open(t), RouterConfig{
		Inputs: []string{"v1"}, StaleAfter: time.Hour,
		Policy: func(Flow) Decision { return Decision{Out: []Out{{Interface: "v2"}}} },
	})
	in := from.sender(t)
	for n := range streams {
		send(t, in, fmt.Sprintf("239.1.%d.%d", n/250, n%250), "x")
	}
	for _, e := range entries(t, r, streams) {
		require.Equal(t, []string{"v2"}, e.Out)
	}
	require.Equal(t, RouterStats{NoCache: streams}, status(t, r).Stats)
}
