package mroute

import (
	"testing"

	"github.com/stretchr/testify/require"
)

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
