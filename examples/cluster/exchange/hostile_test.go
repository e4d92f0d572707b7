package exchange

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A node that writes nonsense, or too much, is refused what is nonsense or too much, and nothing else.
func TestAHostileNodeIsRefused(t *testing.T) {
	t.Parallel()
	e := startEngine(t)
	a := startNode(t, e, "a", func(c *Config[member]) { c.Limits = Limits{Nodes: 3, Groups: 2, Sources: 4} })
	b := startNode(t, e, "b")
	b.join("239.1.1.1", port(1))
	a.learns("239.1.1.1: b EXCLUDE{}")
	groups, nodes := bucketOf(t, a.conn, "ofmcast"), bucketOf(t, a.conn, "ofmcast_nodes")
	refused := uint64(0)
	arrived := func(good bool, what string) { // what is good is found by what comes of it, below
		t.Helper()
		if !good {
			refused++
			until(t, "it is refused", func() bool { return a.Statistics().Refused >= refused })
		}
		require.LessOrEqual(t, a.Statistics().Refused, refused, what)
	}
	put := func(key, value string, good bool) {
		t.Helper()
		_, err := groups.PutString(t.Context(), key, value)
		require.NoError(t, err)
		arrived(good, key+" = "+value)
	}
	renew := func(node string, good bool) {
		t.Helper()
		_, err := nodes.PutString(t.Context(), node, "x")
		require.NoError(t, err)
		arrived(good, node)
	}
	renew("evil", true)
	put("evil.0.239/1/1/1", "NONSENSE", false)
	put("evil.0.239/1/1/1", "EXCLUDE 192.0.2.9 192.0.2.1", false)
	put("evil.0.239/1/1/1", "EXCLUDE 2001:db8::1", false)
	put("evil.0.10/1/1/1", "EXCLUDE", false)
	put("evil.0.224/0/0/1", "EXCLUDE", false)
	put("evil.00.239/1/1/1", "EXCLUDE", false)
	put("evil.4294967296.239/1/1/1", "EXCLUDE", false)
	put("evil.more.0.239/1/1/1", "EXCLUDE", false)
	put("evil", "EXCLUDE", false)
	put("evil.0.239/1/1/1", "INCLUDE 192.0.2.1 192.0.2.2", true)
	put("evil.0.239/1/1/2", "EXCLUDE 192.0.2.1 192.0.2.2", true)
	put("evil.0.239/1/1/3", "EXCLUDE", false)                               // a third group
	put("evil.0.239/1/1/2", "EXCLUDE 192.0.2.1 192.0.2.2 192.0.2.3", false) // a fifth source
	put("evil.0.239/1/1/1", "INCLUDE 192.0.2.1", true)                      // one less
	put("evil.0.239/1/1/2", "EXCLUDE 192.0.2.1 192.0.2.2 192.0.2.3", true)  // has room now
	renew("stranger", false)                                                // none of ours
	put("third.0.239/1/1/1", "EXCLUDE", true)                               // has no lease
	put("fourth.0.239/1/1/1", "EXCLUDE", false)                             // too many
	renew("fourth", false)
	a.learns(
		"239.1.1.1: b EXCLUDE{}, evil INCLUDE{192.0.2.1}",
		"239.1.1.2: evil EXCLUDE{192.0.2.1, 192.0.2.2, 192.0.2.3}")

	_, err := groups.PutString(t.Context(), "evil.0.239/1/1/1", strings.Repeat("x", maxValue+1))
	require.Error(t, err, "the engine itself takes nothing longer")

	require.Equal(t, refused, a.Statistics().Refused)

	require.NoError(t, nodes.Delete(t.Context(), "evil"))
	a.learns("239.1.1.1: b EXCLUDE{}")
}

// Whoever writes as fast as he can harms neither the order nor the memory of others.
func TestAStormOfOneNodeLeavesTheOthersAlone(t *testing.T) {
	t.Parallel()
	e := startEngine(t)
	a := startNode(t, e, "a", func(c *Config[member]) { c.Limits = Limits{Groups: 10} })
	b := startNode(t, e, "b")
	b.join("239.1.1.1", port(1))
	a.learns("239.1.1.1: b EXCLUDE{}")
	for i := range 3000 {
		require.NoError(t, b.conn.Publish(fmt.Sprintf("$KV.ofmcast.evil.0.239/2/%d/%d", i/250, i%250), []byte("EXCLUDE")))
	}
	began := time.Now()
	b.join("239.1.1.2", port(1))
	a.learns("239.1.1.1: b EXCLUDE{}", "239.1.1.2: b EXCLUDE{}")
	t.Logf("behind a storm of 3,000 updates: %v", time.Since(began))
	until(t, "ten of the storm and two of b", func() bool { return a.Statistics().Entries == 12 })
}
