package exchange

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// From a join on one node until it is in the cache of another, with the engine on the same machine.
func TestAJoinIsKnownQuickly(t *testing.T) {
	e := startEngine(t)
	a, b := startNode(t, e, "a"), startNode(t, e, "b")
	until(t, "both are there", func() bool { return a.Statistics().Alive == 1 && b.Statistics().Alive == 1 })
	watch := b.cache.Watch(0)
	defer watch.Close()
	var took []time.Duration
	for i := range 200 {
		began := time.Now()
		a.join(fmt.Sprintf("239.1.%d.%d", i/100, i%100), port(1))
		_, err := watch.Next(t.Context())
		require.NoError(t, err)
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	t.Logf("join to known: p50 %v, p99 %v", took[len(took)/2], took[len(took)*99/100])
	require.Less(t, took[len(took)/2], 100*time.Millisecond)
}

// All at once, as after a restart of a node with many groups.
func TestManyJoinsAtOnce(t *testing.T) {
	e := startEngine(t)
	a, b := startNode(t, e, "a"), startNode(t, e, "b")
	until(t, "both are there", func() bool { return a.Statistics().Alive == 1 && b.Statistics().Alive == 1 })
	const groups = 2000
	began := time.Now()
	for i := range groups {
		a.join(fmt.Sprintf("239.1.%d.%d", i/100, i%100), port(1))
	}
	took := until(t, "b knows all", func() bool { return b.Statistics().Entries == groups })
	t.Logf("%d groups of one node known after %v: %.0f/s", groups, time.Since(began), groups/took.Seconds())
	require.Equal(t, groups, b.cache.Statistics().Groups)
}
