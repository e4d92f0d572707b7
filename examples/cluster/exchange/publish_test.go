package exchange

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/mcast"
)

// What is on the wire of the engine: each node writes below its own name and nowhere else, and does not
// pass on what it was told by others.
func TestANodeWritesItsOwnPrefixOnly(t *testing.T) {
	t.Parallel()
	e := startEngine(t)
	a, b := startNode(t, e, "a"), startNode(t, e, "b")
	a.join("239.1.1.1", port(1))
	b.learns("239.1.1.1: a EXCLUDE{}")
	spy, err := b.conn.SubscribeSync("$KV.>")
	require.NoError(t, err)
	b.join("239.1.1.1", port(2))
	b.join("239.1.1.2", port(2))
	a.learns("239.1.1.1: b EXCLUDE{}, port1 EXCLUDE{}", "239.1.1.2: b EXCLUDE{}")
	a.leave("239.1.1.1", port(1))
	b.learns("239.1.1.1: port2 EXCLUDE{}", "239.1.1.2: port2 EXCLUDE{}")
	time.Sleep(100 * time.Millisecond)
	var groups []string
	for msg, err := spy.NextMsg(0); err == nil; msg, err = spy.NextMsg(0) {
		if !strings.Contains(msg.Subject, "_nodes.") {
			groups = append(groups, strings.TrimPrefix(msg.Subject, "$KV.ofmcast.")+"="+string(msg.Data))
		}
	}
	require.ElementsMatch(t, []string{"b.0.239/1/1/1=EXCLUDE", "b.0.239/1/1/2=EXCLUDE", "a.0.239/1/1/1="}, groups)
}

// What somebody else writes under our name is not taken for a membership, and is taken away.
func TestAnOwnPrefixIsIgnoredAndPruned(t *testing.T) {
	t.Parallel()
	e := startEngine(t)
	a := startNode(t, e, "a", func(c *Config[member]) { c.Keep = 3 * time.Second })
	until(t, "a is there", func() bool { return a.Statistics().Connected })
	_, err := bucketOf(t, a.conn, "ofmcast").PutString(t.Context(), "a.0.239/9/9/9", "EXCLUDE")
	require.NoError(t, err)
	a.join("239.1.1.1", port(1))
	until(t, "the key goes", func() bool { return len(store(t, a.conn)) == 1 })
	require.Equal(t, "239.1.1.1: port1 EXCLUDE{}", a.knows())
}

// Only what changes the merged filter is written.
func TestAnUpdateIsWrittenWhenTheMergeChanges(t *testing.T) {
	t.Parallel()
	e := startEngine(t)
	a := startNode(t, e, "a", func(c *Config[member]) { c.Sink.MinInterval = -1 })
	a.join("239.1.1.1", port(1))
	until(t, "written", func() bool { return a.Statistics().Published == 1 })
	for p := 2; p < 50; p++ {
		a.join("239.1.1.1", port(p))
		a.join("239.1.1.1", port(p)) // a refresh
	}
	a.join("224.0.0.99", port(1)) // link-local
	a.join("239.1.1.2", port(1))
	until(t, "written", func() bool { return a.Statistics().Published == 2 })
	for p := 1; p < 49; p++ {
		a.leave("239.1.1.1", port(p))
	}
	a.leave("239.1.1.2", port(1))
	until(t, "written", func() bool { return a.Statistics().Published == 3 })
	require.Equal(t, map[string]string{"a.0.239/1/1/1": "EXCLUDE"}, store(t, a.conn))
}

// Whatever a node wanted before, the others hold exactly what it wants now, at once.
func TestFiltersArriveExactly(t *testing.T) {
	t.Parallel()
	e := startEngine(t)
	a, b := startNode(t, e, "a"), startNode(t, e, "b")
	s := []netip.Addr{netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2"), netip.MustParseAddr("192.0.2.3")}
	at := time.Now()
	for _, r := range []struct {
		kind    mcast.Kind
		sources []netip.Addr
		want    string
	}{
		{mcast.ChangeToInclude, s[:2], "INCLUDE{192.0.2.1, 192.0.2.2}"},
		{mcast.ChangeToInclude, s[1:], "INCLUDE{192.0.2.2, 192.0.2.3}"},
		{mcast.ChangeToExclude, s[:1], "EXCLUDE{192.0.2.1}"},
		{mcast.ChangeToExclude, s[1:2], "EXCLUDE{192.0.2.2}"},
		{mcast.ChangeToExclude, s, "EXCLUDE{192.0.2.1, 192.0.2.2, 192.0.2.3}"},
		{mcast.ChangeToExclude, nil, "EXCLUDE{}"},
		{mcast.ChangeToInclude, s[:1], "INCLUDE{192.0.2.1}"},
	} {
		at = at.Add(time.Microsecond)
		a.apply(mcast.Report[member]{Group: group("239.1.1.1"), Member: port(1), Owner: mcast.Owner{Kind: mcast.Static},
			Kind: r.kind, Sources: r.sources, At: at})
		b.learns("239.1.1.1: a " + r.want)
	}
}

// More sources than a value may have: all traffic is better than none.
func TestALongListBecomesExclude(t *testing.T) {
	t.Parallel()
	e := startEngine(t)
	a, b := startNode(t, e, "a"), startNode(t, e, "b")
	for p := 1; p <= 2; p++ {
		var list []netip.Addr
		for i := range 600 {
			list = append(list, netip.AddrFrom4([4]byte{10, byte(p), byte(i >> 8), byte(i)}))
		}
		a.apply(mcast.Report[member]{Group: group("239.1.1.1"), Member: port(p), Kind: mcast.AllowNewSources, Sources: list, At: time.Now()})
	}
	b.learns("239.1.1.1: a EXCLUDE{}")
}

// No time of another machine counts: here a's clock is an hour slow and b's two days fast.
func TestClocksMayDiffer(t *testing.T) {
	t.Parallel()
	e := startEngine(t)
	a := startSkewed(t, e, "a", -time.Hour)
	b := startSkewed(t, e, "b", 48*time.Hour)
	a.join("239.1.1.1", port(1))
	b.join("239.1.1.1", port(2))
	for range 20 { // longer than a lease
		a.learns("239.1.1.1: b EXCLUDE{}, port1 EXCLUDE{}")
		b.learns("239.1.1.1: a EXCLUDE{}, port2 EXCLUDE{}")
		time.Sleep(100 * time.Millisecond)
	}
	b.kill()
	took := a.learns("239.1.1.1: port1 EXCLUDE{}")
	require.Less(t, took, a.cfg.Lease+500*time.Millisecond)
}
