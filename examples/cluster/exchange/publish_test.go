package exchange

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/mcast"
)

// Each node writes below its own name what its own members want together, when that changes, and does not
// pass on what it was told by others.
func TestOnlyOwnMembersArePublished(t *testing.T) {
	p := play(t)
	p.publishes()
	p.renew("b")
	p.put("b.0.239/1/1/1", "EXCLUDE")
	p.put("b.0.239/1/1/2", "EXCLUDE 192.0.2.1")
	require.Empty(t, p.writes(), "b's")
	p.apply(mcast.Report[member]{Group: group("239.1.1.2"), Member: port(1), Owner: mcast.Owner{Kind: mcast.Static},
		Kind: mcast.ChangeToInclude, Sources: []netip.Addr{netip.MustParseAddr("192.0.2.7")}, At: p.time})
	require.Equal(t, []string{"a.0.239/1/1/2=INCLUDE 192.0.2.7"}, p.writes())
	p.put("b.0.239/1/1/2", "EXCLUDE")
	p.put("b.0.239/1/1/3", "EXCLUDE")
	require.Empty(t, p.writes(), "b's")
	p.apply(mcast.Leave(group("239.1.1.2"), port(1), p.time))
	p.apply(mcast.Report[member]{Group: group("239.1.1.2"), Member: port(1), Owner: mcast.Owner{Kind: mcast.Static},
		Kind: mcast.ChangeToInclude, At: p.time})
	require.Equal(t, []string{"a.0.239/1/1/2"}, p.writes(), "deleted, though b wants it")
}

func TestAnUpdateIsWrittenWhenTheMergeChanges(t *testing.T) {
	p := play(t)
	h := p.publishes()
	for n := 1; n < 5; n++ {
		p.apply(mcast.Join(group("239.1.1.1"), port(n), p.time))
		p.apply(mcast.Join(group("239.1.1.1"), port(n), p.time)) // a refresh
		require.Equal(t, n == 1, len(p.writes()) == 1, n)
	}
	p.apply(mcast.Join(group("224.0.0.99"), port(1), p.time)) // link-local
	require.Empty(t, p.writes())
	for n := 1; n < 5; n++ {
		p.apply(mcast.Leave(group("239.1.1.1"), port(n), p.time))
		require.Equal(t, n == 4, len(p.writes()) == 1, n)
	}
	p.apply(mcast.Join(group("239.1.1.1"), port(1), p.time))
	require.Equal(t, []string{"a.0.239/1/1/1=EXCLUDE"}, p.writes())
	h.Resync() // as for a new link
	require.Equal(t, []string{"a.0.239/1/1/1=EXCLUDE"}, p.writes(), "anew")
}

func TestWithoutAnEngineNothingIsWritten(t *testing.T) {
	p := play(t)
	p.apply(mcast.Join(group("239.1.1.1"), port(1), p.time))
	p.link.Store(nil)
	s, ok := p.cfg.Cache.Lookup(group("239.1.1.1"))
	require.True(t, ok)
	require.ErrorIs(t, p.Sync(t.Context(), s), ErrAway)
	require.ErrorIs(t, p.Prune(t.Context(), nil), ErrAway)
}

// What was perhaps written is written again, whatever the merge is by then.
func TestAnAnswerThatIsLost(t *testing.T) {
	p := play(t)
	p.publishes()
	p.apply(mcast.Join(group("239.1.1.1"), port(1), p.time))
	p.bucket.fails = true
	require.Equal(t, []string{"a.0.239/1/1/1=EXCLUDE"}, p.writes())
	p.apply(mcast.Leave(group("239.1.1.1"), port(1), p.time))
	p.time = p.time.Add(time.Second)
	require.Equal(t, []string{"a.0.239/1/1/1"}, p.writes())
	p.bucket.fails = false
	p.time = p.time.Add(time.Second)
	require.Equal(t, []string{"a.0.239/1/1/1"}, p.writes())
	p.time = p.time.Add(time.Second)
	require.Empty(t, p.writes())
}

// What an earlier process has published, or somebody else under our name, stays until hosts could be asked:
// also when the engine was away meanwhile. It goes then, whatever others want.
func TestWhatAnEarlierProcessLeftIsPrunedInTime(t *testing.T) {
	p := play(t, func(c *Config[member]) { c.Sink.PruneDelay, c.Sink.MaxRetry = 20*time.Second, time.Second })
	p.ready = p.time.Add(p.cfg.Sink.PruneDelay)
	for _, key := range []string{"a.0.239/1/1/1", "a.0.239/1/1/2", "a.0.239/1/1/3", "a.junk", "b.0.239/1/1/1"} {
		p.bucket.held[key] = "EXCLUDE"
	}
	p.renew("b")
	p.put("b.0.239/1/1/1", "EXCLUDE")
	p.put("b.0.239/1/1/3", "EXCLUDE")
	h := p.publishes()
	p.apply(mcast.Report[member]{Group: group("239.1.1.2"), Member: port(1), Owner: mcast.Owner{Kind: mcast.Static},
		Kind: mcast.ChangeToExclude, At: p.time})
	require.Equal(t, []string{"a.0.239/1/1/2=EXCLUDE"}, p.writes())
	p.pass(10*time.Second, "a", "b")
	h.Resync()
	require.Equal(t, []string{"a.0.239/1/1/2=EXCLUDE"}, p.writes(), "anew, and no more")
	p.pass(9*time.Second, "a", "b")
	require.Empty(t, p.writes())
	p.pass(3*time.Second, "a", "b")
	require.Equal(t, []string{"a.0.239/1/1/1", "a.0.239/1/1/3", "a.junk"}, p.writes())
	require.Equal(t, map[string]string{"a.0.239/1/1/2": "EXCLUDE", "b.0.239/1/1/1": "EXCLUDE"}, p.bucket.held)
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
