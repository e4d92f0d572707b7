package mroute

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestMonitorThatCannotKeepUpSaysSoAndGoesOn(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	s := open(t)
	v := addVIFs(t, s, dummies(t, 1)...)
	m, err := s.Monitor()
	require.NoError(t, err)
	defer m.Close()
	require.NoError(t, m.source.(*changeReader).conn.SetReadBuffer(1))
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	last := netip.MustParseAddr("239.0.0.0")
	for range 100 {
		last = last.Next()
		require.NoError(t, s.AddRoute(Route{SG: SG{source, last}, In: v[0]}))
	}
	for missed := false; !missed; {
		_, err := m.Next(ctx)
		missed = errors.Is(err, ErrMissed)
		require.True(t, missed || err == nil, "%v", err)
	}
	for {
		require.NoError(t, s.DelRoute(SG{source, last}))
		require.NoError(t, s.AddRoute(Route{SG: SG{source, last}, In: v[0]}))
		if c, err := m.Next(ctx); err == nil && c.Group == last {
			return
		}
		require.NoError(t, ctx.Err())
	}
}

// A Router ends while upcalls wait. What it has read it answers, and the rest is left to whoever takes over.
func TestRouterThatEndsLosesNoUpcall(t *testing.T) {
	const waiting = 10
	k := newFake()
	s := newSocket(k)
	_, err := s.AddVIF(1) // lo
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	answered := 0
	r, err := NewRouter(s, RouterConfig{Inputs: []string{"lo"}, Policy: func(Flow) Decision {
		answered++
		until(t, func() bool { return len(k.messages) < waiting-1 }) // the next one is read
		cancel()
		return Decision{}
	}})
	require.NoError(t, err)
	for n := range waiting {
		k.messages <- unhex(t, fmt.Sprintf("4500001c0000000001000000c6336401e9fc00%02x", n))
	}
	require.NoError(t, r.Run(ctx))
	require.NotZero(t, answered)
	require.Equal(t, waiting, answered+len(k.messages))
}

// Reading fails, and the loop sees that before it sees that its context has ended with it.
func TestRouterThatReadsNoMoreWaitsForItsEnd(t *testing.T) {
	r, err := NewRouter(newSocket(newFake()), RouterConfig{})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	in := &inlets{upcalls: make(chan *Upcall), links: make(chan linkEvent, 1), changes: make(chan routeEvent)}
	in.close = func() { _, _ = r.links.close(), r.changes.Close() }
	close(in.upcalls)
	in.links <- linkEvent{complete: true}
	go func() {
		defer cancel()
		_, _ = r.Status(ctx)
		_, _ = r.Status(ctx)
	}()
	r.loop(ctx, in)
}
