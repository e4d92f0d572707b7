package querier

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
)

func proxy(c *Config) { c.Addrs = []netip.Addr{nobody} }

func TestAProxyQueriesWhereNoRouterDoes(t *testing.T) {
	q := start(t, proxy)
	frames := q.Advance(t0)
	require.Len(t, frames, 1)
	require.Equal(t, nobody, decode(t, frames[0]).Src)
	require.Equal(t, State{Querier: true, Elected: nobody, Timing: start(t).State().Timing}, q.State())
	frames, err := q.Specific(group, nil, false, 0)
	require.NoError(t, err)
	require.Equal(t, nobody, decode(t, frames[0]).Src)
	require.Equal(t, []float64{31.25, 156.25}, run(t, q, 200))
}

func TestAnyRouterSilencesAProxy(t *testing.T) {
	q := start(t, proxy)
	q.Advance(t0)
	q.HandleQuery(heard(higher, at(1)))
	require.Equal(t, higher, q.State().Elected)
	require.True(t, q.State().Timing.NonQuerier)
	require.Empty(t, q.Advance(at(31.25)))
	require.Equal(t, []float64{256, 381}, run(t, q, 400))
	require.Equal(t, uint64(1), q.Counters().Takeovers)
}

// Nothing tells another switch's from our own, and neither matters.
func TestProxiesDoNotSilenceOneAnother(t *testing.T) {
	q := start(t, proxy)
	q.HandleQuery(heard(nobody, t0))
	require.True(t, q.State().Querier)
	require.Equal(t, uint64(1), q.Counters().HeardOwn)
	require.Equal(t, []float64{0, 31.25}, run(t, q, 100))
}

func TestAProxyThatGetsAnAddressTakesPart(t *testing.T) {
	q := start(t, proxy)
	run(t, q, 200)
	q.HandleQuery(heard(higher, at(200)))
	require.NoError(t, q.SetAddrs([]netip.Addr{ours}))
	require.Equal(t, ours, decode(t, q.Advance(at(201))[0]).Src)
	q.HandleQuery(heard(higher, at(202)))
	require.True(t, q.State().Querier)

	require.NoError(t, q.SetAddrs([]netip.Addr{nobody}))
	q.HandleQuery(heard(higher, at(203)))
	require.False(t, q.State().Querier)
}
