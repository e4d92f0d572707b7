package exchange

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/mcast"
)

// Two exchanges on one cache, each for a VLAN: a node hears only of the VLANs that it is in, and one that
// is dead in one bucket is alive in the other.
func TestABucketForEachSegment(t *testing.T) {
	t.Parallel()
	e := startEngine(t)
	vlan := func(n uint32, cache *mcast.Cache[member]) func(*Config[member]) {
		return func(c *Config[member]) {
			c.Bucket, c.Shares = "tenant"+string(rune('0'+n)), func(g mcast.Group) bool { return g.Segment == n }
			if cache != nil {
				c.Cache = cache
			}
		}
	}
	a := startNode(t, e, "a", vlan(1, nil))
	second, err := New(func() Config[member] {
		cfg := config(a.conn, "a")
		vlan(2, a.cache)(&cfg)
		return cfg
	}())
	require.NoError(t, err)
	ended := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { ended <- second.Run(ctx) }()
	b, c := startNode(t, e, "b", vlan(1, nil)), startNode(t, e, "b", vlan(2, nil)) // b, with a cache for each
	a.join("239.1.1.1@1", port(1))
	a.join("239.1.1.1@2", port(1))
	a.join("239.1.1.1@3", port(1)) // nobody's
	b.join("239.1.1.9@1", port(2))
	c.join("239.1.1.9@2", port(2))
	b.learns("239.1.1.1@1: a EXCLUDE{}", "239.1.1.9@1: port2 EXCLUDE{}")
	c.learns("239.1.1.1@2: a EXCLUDE{}", "239.1.1.9@2: port2 EXCLUDE{}")
	own := []string{"239.1.1.1@1: port1 EXCLUDE{}", "239.1.1.1@2: port1 EXCLUDE{}", "239.1.1.1@3: port1 EXCLUDE{}"}
	a.learns(append(own, "239.1.1.9@1: b EXCLUDE{}", "239.1.1.9@2: b EXCLUDE{}")...)

	require.NoError(t, b.Leave(t.Context()))
	a.learns(append(own, "239.1.1.9@2: b EXCLUDE{}")...)

	// What does not belong into a bucket is refused.
	_, err = bucketOf(t, a.conn, "tenant2").PutString(t.Context(), "b.1.239/1/1/7", "EXCLUDE")
	require.NoError(t, err)
	until(t, "refused", func() bool { return second.Statistics().Refused == 1 })
	a.learns(append(own, "239.1.1.9@2: b EXCLUDE{}")...)
	cancel()
	require.NoError(t, <-ended)
}
