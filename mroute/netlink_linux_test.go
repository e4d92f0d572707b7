package mroute

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestDumpTellsWhatTheKernelHas(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	from, to := newHost(t, 1), newHost(t, 2)
	s := open(t)
	v := addVIFs(t, s, index(t, "v2"), index(t, "v1"))
	in, out := from.sender(t), to.udp(t, group.String()+":5000")
	require.NoError(t, s.AddRoute(Route{SG: SG{source, group}, In: v[1], Out: []Hop{{VIF: v[0], TTL: 7}}}))
	for range 3 {
		send(t, in, group.String(), "12345678")
		receive(t, out)
	}
	send(t, in, "233.252.0.2", "asked")
	upcall(t, s)

	all, err := s.Dump()
	require.NoError(t, err)
	byGroup := map[string]KernelRoute{}
	for _, k := range all {
		byGroup[k.Group.String()] = k
	}
	require.Len(t, byGroup, 2)
	k := byGroup[group.String()]
	require.Less(t, k.Idle, 5*time.Second)
	require.Equal(t, KernelRoute{
		SG: SG{source, group}, Table: 253, Idle: k.Idle,
		In:       Port{v[1], index(t, "v1")},
		Out:      []KernelHop{{Port{v[0], index(t, "v2")}, 7}},
		Counters: RouteCounters{Packets: 3, Bytes: 3 * 36},
	}, k)
	require.Equal(t, Route{SG: SG{source, group}, In: v[1], Out: []Hop{{VIF: v[0], TTL: 7}}}, k.Route())
	require.True(t, byGroup["233.252.0.2"].Unresolved)
	require.Equal(t, Port{VIF: NoVIF}, byGroup["233.252.0.2"].In)

	vifs, err := s.VIFs()
	require.NoError(t, err)
	require.Equal(t, []KernelVIF{
		{Port: Port{v[0], index(t, "v2")}, Counters: VIFCounters{PacketsOut: 3, BytesOut: 3 * 36}},
		{Port: Port{v[1], index(t, "v1")}, Counters: VIFCounters{PacketsIn: 3, BytesIn: 3 * 36}},
	}, vifs)
	version, err := s.Version()
	require.NoError(t, err)
	require.Equal(t, 0x0305, version)

	require.NoError(t, s.Close())
	_, err = s.Dump()
	require.ErrorIs(t, err, os.ErrClosed)
	_, err = s.Version()
	require.ErrorIs(t, err, os.ErrClosed)
}

func TestDumpKnowsItsOwnTableOnly(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	d := dummies(t, 2)
	first := open(t)
	other, err := Open(Config{Table: 77777})
	require.NoError(t, err)
	t.Cleanup(func() { _ = other.Close() })
	require.Equal(t, []uint32{253, 77777}, []uint32{first.Table(), other.Table()})
	for _, s := range []*Socket{first, other} {
		v := addVIFs(t, s, d...)
		require.NoError(t, s.AddRoute(Route{SG: SG{source, group}, In: v[0], Out: []Hop{{VIF: v[1]}}}))
		all, err := s.Dump()
		require.NoError(t, err)
		require.Len(t, all, 1)
		require.Equal(t, s.Table(), all[0].Table)
		vifs, err := s.VIFs()
		require.NoError(t, err)
		require.Len(t, vifs, 2)
	}
}

func TestMonitorTellsWhatEverybodyChanges(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	s := open(t)
	v := addVIFs(t, s, dummies(t, 2)...)
	m, err := s.Monitor()
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	route := Route{SG: SG{source, group}, In: v[1], Out: []Hop{{VIF: v[0]}}}
	require.NoError(t, s.AddRoute(route))
	c, err := m.Next(ctx)
	require.NoError(t, err)
	require.False(t, c.Deleted)
	require.Equal(t, route, Route{SG: c.SG, In: c.In.VIF, Out: []Hop{{VIF: c.Out[0].VIF}}})
	flush(t, s)
	c, err = m.Next(ctx)
	require.NoError(t, err)
	require.True(t, c.Deleted)
	require.Equal(t, route.SG, c.SG)

	ended := make(chan error)
	go func() {
		_, err := m.Next(context.Background())
		ended <- err
	}()
	require.NoError(t, m.Close())
	require.ErrorIs(t, <-ended, os.ErrClosed)
	m, err = s.Monitor()
	require.NoError(t, err)
	defer m.Close()
	short, cancel := context.WithCancel(ctx)
	cancel()
	_, err = m.Next(short)
	require.ErrorIs(t, err, context.Canceled)
}
